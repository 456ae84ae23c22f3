"""Choosing the source of replies: an endpoint with a model, or a built-in backend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from judgelab.backends import backends
from judgelab.backends.transformers_local import MISSING, installed
from judgelab.errors import NotFound
from judgelab.languages import _
from judgelab.runs.endpoints import probe, service
from judgelab.store.judging.endpoints import EndpointInfo
from judgelab.ui.kit import text
from judgelab.ui.session import gate
from judgelab.wording import sentence

NO_MODEL = "rule"
CHOSEN = "judges_model_{}"  # the model chosen for a source
MODELS = "judges_models_{}"  # the models that an endpoint listed


@dataclass(frozen=True)
class ModelSource:
    """A source of replies: a backend, and an endpoint if the backend needs one."""

    backend: str
    title: str
    endpoint: EndpointInfo | None = None

    @property
    def scripted(self) -> bool:
        """Return whether replies come from a script instead of a model."""
        return backends.get(self.backend).origin == "scripted"

    @property
    def callable(self) -> bool:
        """Return whether it is an endpoint whose key is available."""
        return self.endpoint is not None and service.has_key(self.endpoint)

    @property
    def local(self) -> bool:
        """Return whether the model runs in a worker of this installation."""
        return backends.get(self.backend).kind == "local"


def choose_model(*, writes: bool = False) -> tuple[ModelSource, str]:
    """Draw the choice and return the source and the model's name, empty while none is chosen.

    `writes` is whether the model writes texts instead of judging.
    """
    sources = [
        ModelSource("openai_api", endpoint.name, endpoint)
        for endpoint in service.list_endpoints(gate.store())
    ]
    sources += [
        ModelSource(name, _(kind.title)) for name, kind in backends.items() if not kind.needs_endpoint
    ]
    titles = {source.title: source for source in sources}
    left, right = st.columns(2)
    default = next((place for place, source in enumerate(sources) if source.callable), 0)
    source = titles[left.selectbox(_("Endpoint"), list(titles), index=default, key="judges_source")]
    key = CHOSEN.format(source.title)
    with right:
        if source.scripted:
            model = _choose_or_type(
                _("Script"), [NO_MODEL], key=key, help=_("`rule`, or the path of a JSON file with replies.")
            )
        elif source.local:
            model = _folder_or_name(key)
        else:
            help_text = _("Choose a listed model, or type its name.")
            model = _choose_or_type(_("Model"), _known_models(source), key=key, help=help_text)
    if source.scripted:
        st.caption(
            _("No model is called: the texts come from a script.")
            if writes
            else _("No model is called. Scores are labelled as scripted wherever they appear.")
        )
    elif source.local:
        _write_local_note()
    elif source.endpoint is not None:
        _ask_for_models(source.endpoint)
    return source, model


def _folder_or_name(key: str) -> str:
    typed = st.text_input(
        _("Model"),
        key=key,
        placeholder=_("a folder, or a name on the hub"),
        help=_("A folder with a model, or a name such as Qwen/Qwen3-0.6B, which is downloaded once."),
    )
    return (typed or "").strip()


def _write_local_note() -> None:
    st.caption(
        _(
            "It runs in a separate worker, which holds one model at a time, on the GPU if there is one. "
            "Folders are on the machine where this app runs."
        )
    )
    if not installed():
        st.caption(f":orange[:material/warning: {_(MISSING)}]")


def _choose_or_type(label: str, choices: Sequence[str], *, key: str, help: str) -> str:
    chosen = st.selectbox(
        label,
        choices,
        index=0 if choices else None,
        key=key,
        accept_new_options=True,
        placeholder=_("type a model's name"),
        help=help,
    )
    return (chosen or "").strip()


def _known_models(source: ModelSource) -> list[str]:
    endpoint = source.endpoint
    if endpoint is None:
        return []
    listed = st.session_state.get(MODELS.format(endpoint.name), [])
    used = service.models_used(gate.store(), endpoint.id)
    return list(
        dict.fromkeys(
            [*used, *listed, *endpoint.learnt, *(model for model in endpoint.prices if model != "*")]
        )
    )


def _ask_for_models(endpoint: EndpointInfo) -> None:
    """Draw the button that lists the endpoint's models; the list is kept for this session."""
    st.button(
        _("List the endpoint's models"),
        key="judges_ask",
        icon=":material/sync:",
        on_click=_list_models,
        args=(endpoint.name,),
    )
    if message := st.session_state.get("judges_said"):
        st.caption(text.plain(_(message)))


def _list_models(name: str) -> None:
    gate.enter("researcher")
    try:
        result = probe.list_models(gate.store(), name)
    except NotFound:
        st.session_state["judges_said"] = sentence("The endpoint was removed in the meantime.")
        return
    st.session_state[MODELS.format(name)] = list(result.models)
    if result.models and not st.session_state.get(CHOSEN.format(name)):
        st.session_state[CHOSEN.format(name)] = result.models[0]
    st.session_state["judges_said"] = sentence("{endpoint}: {said}", endpoint=name, said=result.sentence)
