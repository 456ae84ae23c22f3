"""Finding a model: a folder of this machine, the hub's copies here, or the hub itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from judgelab.backends.local import files
from judgelab.backends.local.jobs import ModelChoice
from judgelab.backends.local.progress import DOWNLOADING, LoadProgress
from judgelab.errors import BackendError
from judgelab.wording import sentence

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo

ASKING_SECONDS = 20.0
BESIDES = (".json", ".txt", ".model", ".jinja", ".tiktoken")  # configuration and tokenizer


@dataclass(frozen=True)
class ModelFiles:
    """A model's folder, and the commit or fingerprint of its files."""

    folder: Path
    revision: str


def find_model(choice: ModelChoice, progress: LoadProgress, check: Callable[[int], None]) -> ModelFiles:
    """Return the folder of a model, downloaded first where the hub has it and this machine has not.

    Args:
        choice: the model.
        progress: what the worker says meanwhile.
        check: raises when so many bytes of weights are too many; asked before anything is downloaded.

    Raises:
        BackendError: there is no such model, or no way to it.
    """
    folder = Path(choice.name)
    if folder.is_dir():
        if not (folder / "config.json").is_file() or not files.weight_files(folder):
            raise model_not_found(
                sentence("the folder {model} contains no model (config.json and weights).", model=choice.name)
            )
        return ModelFiles(folder, files.fingerprint(folder))
    return _from_hub(choice, progress, check)


def model_not_found(message: str) -> BackendError:
    """Return the error of a model that cannot be had."""
    return BackendError(message, cause="no_model", retryable=False, stops_run=True)


def _from_hub(choice: ModelChoice, progress: LoadProgress, check: Callable[[int], None]) -> ModelFiles:
    from huggingface_hub import HfApi, errors, snapshot_download

    name = choice.name
    try:
        info = HfApi().model_info(
            name, revision=choice.revision or None, files_metadata=True, timeout=ASKING_SECONDS
        )
        chosen = _chosen(info)
        total = sum(size for _, size in chosen)
        check(sum(size for file, size in chosen if not file.endswith(BESIDES)))
        progress.begin(DOWNLOADING, name, total=total, measure=_downloaded(name))
        # By the name of the branch, not by the commit: it is found again under it when the hub is away.
        file_names = [file for file, _ in chosen]
        folder = Path(snapshot_download(name, revision=choice.revision or None, allow_patterns=file_names))
        return ModelFiles(folder, folder.name)
    except errors.GatedRepoError:
        raise model_not_found(
            sentence(
                "access to {model} is restricted on the hub: request access on its page, then run `hf "
                "auth login` on the worker's machine.",
                model=name,
            )
        ) from None
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.HFValidationError):
        raise model_not_found(
            sentence(
                "{model} was not found: the worker's machine has no such folder, and the hub has no model "
                "with this name and revision.",
                model=name,
            )
        ) from None
    except BackendError:
        raise
    except Exception as error:  # the client's own errors, its HTTP library's and the system's: no way to it
        return _kept(choice, error)


def _chosen(info: ModelInfo) -> Sequence[tuple[str, int]]:
    """Return the files to download with their sizes: the top level, with weights in one format."""
    sizes = {
        sibling.rfilename: sibling.size or 0
        for sibling in info.siblings or []
        if "/" not in sibling.rfilename
    }
    safe = any(name.endswith(".safetensors") for name in sizes)
    weights = ".safetensors" if safe else ".bin"
    return [(name, size) for name, size in sizes.items() if name.endswith((*BESIDES, weights))]


def _downloaded(name: str) -> Callable[[], int]:
    from huggingface_hub import constants
    from huggingface_hub.file_download import repo_folder_name

    blobs = Path(constants.HF_HUB_CACHE) / repo_folder_name(repo_id=name, repo_type="model") / "blobs"

    def measure() -> int:
        try:
            return sum(path.stat().st_size for path in blobs.iterdir())
        except OSError:  # a file was renamed when it was complete
            return 0

    return measure


def _kept(choice: ModelChoice, error: Exception) -> ModelFiles:
    """Return the copy that an earlier download left here, when the hub cannot be asked."""
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(choice.name, revision=choice.revision or None, local_files_only=True))
    except (OSError, ValueError):  # the hub's own errors are among these
        raise model_not_found(
            sentence(
                "{model} is not on the worker's machine, and the hub can't be reached ({error}); go "
                "online, or name a folder that contains it.",
                model=choice.name,
                error=_short(error),
            )
        ) from None
    return ModelFiles(folder, folder.name)


def _short(error: Exception) -> str:
    words = " ".join(str(error).split()) or type(error).__name__
    return words.rstrip(".") if len(words) <= 160 else f"{words[:160].rstrip()} ..."
