"""Images that come with a data file: what is stored under which path, what is refused, and in which words."""

from __future__ import annotations

import csv
import io
import json
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from judgelab.errors import ImportProblems, InvalidInput
from judgelab.imports import uploads
from judgelab.imports.exports import export_project
from judgelab.imports.import_paths import files_to_import
from judgelab.imports.service import collect_files, import_files, preview
from judgelab.store.db.engine import Store
from judgelab.store.models import ImportRow
from judgelab.store.projects import images
from judgelab.store.projects.deletion import delete_project
from judgelab.store.projects.images import find_image, image_hashes, stored_paths
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.projects.sandboxes import copy_project
from tests.imports.conftest import Bring, Refused
from tests.imports.pictures import archive, png

DATA = """item_id,question,response_id,system,response
1,What does it show? ![chart](img/a.png),r1,s,Two bars.
2,And this?,r2,s,"As drawn: ![mine](img/my%20b.png)"
"""
RED, BLUE = png((200, 30, 30)), png((30, 30, 200))
JPEG, GIF, WEBP = b"\xff\xd8\xff\xe0 x", b"GIF89a x", b"RIFF\x10\0\0\0WEBPVP8 x"


def paths(store: Store, slug: str = "p") -> frozenset[str]:
    with store.reading() as session:
        return stored_paths(session, find_project(session, slug).id)


def content(store: Store, path: str, slug: str = "p") -> tuple[str, bytes] | None:
    with store.reading() as session:
        project = find_project(session, slug).id
        return find_image(session, project, image_hashes(session, project, [path])[path])


def test_an_archive_brings_its_data_file_and_the_images_as_seen_from_it(store: Store, bring: Bring) -> None:
    members = {
        "study/items.csv": DATA,
        "study/img/a.png": RED,
        "study/img/my b.png": BLUE,
        "study/./img/c.JPG": JPEG,
        "other/d.gif": GIF,
        "__MACOSX/study/._a.png": b"",
        "study/.DS_Store": b"",
        "study/notes.pdf": b"%PDF",
    }
    report = bring(archive(members), name="study.zip")
    assert (report.items, report.responses, report.images) == (2, 2, 4)
    assert paths(store) == {"img/a.png", "img/my b.png", "img/c.JPG", "other/d.gif"}
    assert content(store, "img/a.png") == ("image/png", RED)
    assert content(store, "img/c.JPG") == ("image/jpeg", JPEG)
    left_out = "1 file in study.zip is neither data nor an image and was left out: 'study/notes.pdf'"
    assert left_out in report.notices
    with store.reading() as session:
        settings = find_project(session, "p").settings
    assert settings["text_formats"] == {"question": "markdown", "response": "markdown"}
    assert bring(archive(members), name="study.zip").sentence() == "nothing new, 8 unchanged"


def test_one_text_with_an_image_among_many_makes_its_kind_markdown(store: Store, bring: Bring) -> None:
    rows = "".join(f"{n},Is it?,r{n},s,Yes.\n" for n in range(3, 99))
    bring(archive({"items.csv": DATA + rows, "img/a.png": RED, "img/my b.png": WEBP}), name="x.zip")
    with store.reading() as session:
        settings = find_project(session, "p").settings
    assert settings["text_formats"] == {"question": "markdown", "response": "markdown"}
    assert content(store, "img/my b.png") == ("image/webp", WEBP)


def test_images_that_texts_show_and_nobody_uploaded_are_named(store: Store, bring: Bring) -> None:
    notices = bring(archive({"items.csv": DATA, "img/a.png": RED}), name="x.zip").notices
    assert (
        "texts show 1 image that is not uploaded: 'img/my b.png'; import it too, in a zip archive with the "
        "same path" in notices
    )
    report = bring(archive({"img/my b.png": BLUE}), name="more.zip")
    assert report.sentence() == "1 image new"
    with store.reading() as session:
        last = session.query(ImportRow).order_by(ImportRow.id).all()[-1]
        assert (last.source, last.counts) == ("more.zip", {"images": 1})
    assert not [notice for notice in bring(DATA).notices if "not uploaded" in notice]


def test_images_that_no_upload_can_bring_are_named(store: Store, bring: Bring) -> None:
    rows = "1,![q](../img/a.png),r1,s,![q](/x.png) ![w](https://e.org/../a.png)\n"
    members = {"study/data/items.csv": DATA.splitlines()[0] + "\n" + rows, "study/img/a.png": RED}
    assert (
        "texts show 2 images outside the folder of the data file, which cannot be stored: '../img/a.png', "
        "'/x.png'; put the data file above its images and write the paths as seen from there"
        in bring(archive(members), name="x.zip").notices
    )


def test_a_text_beside_a_data_file_is_a_note(store: Store, bring: Bring, tmp_path: Path) -> None:
    members = {"items.csv": DATA, "README.txt": "Read me.", "img/a.png": RED}
    report = bring(archive(members), name="x.zip")
    assert (report.items, report.images) == (2, 1)
    said = "1 file in x.zip is neither data nor an image and was left out: 'README.txt'"
    assert said in report.notices
    assert bring(archive({"items.txt": DATA, "img/b.png": BLUE}), name="y.zip").images == 1
    for name, data in members.items():
        path = tmp_path / "study" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    assert files_to_import([tmp_path / "study"], preset=None) == [("study", tmp_path / "study")]


def test_a_folder_of_images_is_recorded_once(store: Store, bring: Bring, tmp_path: Path) -> None:
    (tmp_path / "img").mkdir()
    for name, data in (("a.png", RED), ("b.png", BLUE)):
        (tmp_path / "img" / name).write_bytes(data)
    assert import_files(store, "p", [("img", tmp_path / "img")]).images == 2
    with store.reading() as session:
        assert [(row.source, row.counts) for row in session.query(ImportRow)] == [
            ("a.png, b.png", {"images": 2})
        ]


def test_an_image_under_the_same_path_is_replaced(store: Store, bring: Bring) -> None:
    bring(RED, name="a.png")
    assert bring(BLUE, name="a.png").sentence() == "nothing new, 1 changed"
    assert content(store, "a.png") == ("image/png", BLUE)


def test_a_preview_counts_the_images_and_stores_none(store: Store, bring: Bring) -> None:
    upload = [("x.zip", archive({"items.csv": DATA, "img/a.png": RED}))]
    seen = preview(store, "p", upload)
    assert [file.name for file in seen.files] == ["items.csv"]
    assert (seen.counts["items"], seen.counts["images"], seen.problems) == (2, 1, ())
    assert preview(store, "p", [("a.png", RED)]).counts == {"images": 1}
    assert paths(store) == frozenset()


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"i.csv": DATA, "a.svg": b"<svg/>"}, "a.svg is no PNG, JPEG, GIF or WebP image"),
        ({"i.csv": DATA, "a.png": b"<svg/>"}, "a.png is no PNG, JPEG, GIF or WebP image"),
        ({"i.csv": DATA, "../a.png": RED}, "the path ../a.png leads out of the upload"),
        ({"i.csv": DATA, "/etc/a.png": RED}, "the path /etc/a.png leads out of the upload"),
        ({"i.csv": DATA, "C:\\a.png": RED}, "the path C:/a.png leads out of the upload"),
        ({"i.csv": DATA, "b.png": RED + bytes(5_000_000)}, "the image b.png has more than 5 MB"),
        ({"i.csv": DATA, "b.png": RED, "x/../b.png": RED}, "two images have the path b.png"),
        ({"i.csv": DATA, f"{'a' * 300}.png": RED}, "has more than 300 characters"),
        ({"i.csv": DATA, "j.csv": DATA, "a.png": RED}, "f.zip has 2 data files ('i.csv', 'j.csv')"),
        ({"notes.pdf": b"%PDF"}, "f.zip has neither a data file nor an image"),
    ],
)
def test_a_refusal_names_the_file(refused: Refused, members: dict[str, bytes], said: str) -> None:
    assert said in refused(archive(members), name="f.zip")[0].message


def test_all_refusals_are_told_at_once(refused: Refused) -> None:
    members = {"i.csv": DATA, "a.svg": b"<svg/>", "../b.png": RED}
    assert len(refused(archive(members), name="f.zip")) == 2


@pytest.mark.parametrize("name", ["a.svg", "a.tiff"])
def test_an_image_of_another_kind_beside_the_data_is_refused(store: Store, bring: Bring, name: str) -> None:
    with pytest.raises(ImportProblems, match=f"{name} is no PNG, JPEG, GIF or WebP image"):
        import_files(store, "p", [("items.csv", DATA.encode()), (name, b"<svg/>")])


def test_a_damaged_archive_is_refused(refused: Refused) -> None:
    whole = archive({"items.csv": DATA, "img/a.png": png(width=300, height=300)})
    assert "f.zip cannot be unpacked" in refused(whole[:-30], name="f.zip")[0].message
    at = whole.index(b"img/a.png") + 30
    changed = whole[:at] + b"\xff" * 9 + whole[at + 9 :]
    assert "cannot be unpacked" in refused(changed, name="f.zip")[0].message


def test_an_archive_with_a_name_in_another_encoding_than_it_says_is_refused(refused: Refused) -> None:
    whole = archive({"items.csv": DATA, "bär.png": RED})  # the name is marked as UTF-8
    changed = whole.replace("bär.png".encode(), b"b\xff\xff.png")
    assert "f.zip cannot be unpacked" in refused(changed, name="f.zip")[0].message


def test_a_member_without_a_name_is_none(store: Store, bring: Bring) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("items.csv", DATA)
        with file.open(zipfile.ZipInfo(""), "w") as member:
            member.write(b"x")
    assert bring(packed.getvalue(), name="f.zip").items == 2


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_unpacks_without_a_limit_is_refused(refused: Refused, method: int) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as file:
        file.writestr("items.csv", DATA)
    said = "items.csv is packed with a method that is not read; zip the files again with the method “deflate”"
    assert refused(packed.getvalue(), name="f.zip")[0].message == said


def test_no_more_of_a_member_is_unpacked_than_it_says(refused: Refused) -> None:
    """A hundred million bytes are packed as a file of ten."""
    whole = archive({"items.csv": bytes(100_000_000)})
    size = struct.pack("<I", 100_000_000)
    assert whole.count(size) == 2
    lying = whole.replace(size, struct.pack("<I", 10))
    tracemalloc.start()
    problems = refused(lying, name="f.zip")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "items.csv cannot be unpacked" in problems[0].message
    assert peak < 10_000_000


@pytest.mark.parametrize("limit", ["MOST_DATA_MB", "MOST_UNPACKED_MB"])
def test_an_export_in_an_archive_has_a_limit(
    store: Store, bring: Bring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    bring(DATA)
    export_project(store, "p", tmp_path / "out")
    files = collect_files([tmp_path / "out"])
    monkeypatch.setattr(uploads, limit, 0)
    packed = archive({name: data.read_bytes() for name, data in files if isinstance(data, Path)})
    with pytest.raises(ImportProblems, match="a file in p.zip has more than"):
        import_files(store, "q", [("p.zip", packed)])
    assert import_files(store, "q", [("out", tmp_path / "out")]).items == 2  # where it is, it is not unpacked


def test_a_project_has_a_limit(store: Store, bring: Bring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MOST_BYTES", len(RED) + len(BLUE))
    bring(RED, name="a.png")
    bring(BLUE, name="b.png")
    with pytest.raises(ImportProblems, match=r"with c.png, the images of this project have more than"):
        bring(RED, name="c.png")
    bring(BLUE, name="a.png")  # what it replaces is no longer counted
    assert paths(store) == {"a.png", "b.png"}


def test_images_do_not_come_with_documents(store: Store, bring: Bring) -> None:
    bring(DATA)
    with pytest.raises(InvalidInput, match="images belong to items and responses"):
        bring(archive({"d.csv": "item_id,document\n1,x\n", "a.png": RED}), name="x.zip", kind="documents")


@pytest.mark.parametrize("file_format", ["csv", "jsonl", "parquet"])
def test_an_export_holds_the_images(store: Store, bring: Bring, tmp_path: Path, file_format: str) -> None:
    large = png() + bytes(range(256)) * 18_000  # in two cells
    bring(archive({"items.csv": DATA, "img/a.png": RED, "img/my b.png": large}), name="x.zip")
    assert export_project(store, "p", tmp_path / "out", file_format=file_format)["images"] == 2
    files = collect_files([tmp_path / "out"])
    assert import_files(store, "q", files).images == 2
    for path in ("img/a.png", "img/my b.png"):
        assert content(store, path, "q") == content(store, path)
    bring(BLUE, name="a.png")
    assert import_files(store, "p", files).unchanged["images"] == 2
    packed = archive({name: data.read_bytes() for name, data in files if isinstance(data, Path)})
    assert import_files(store, "r", [("p.zip", packed)]).images == 2
    folder = archive({f"p/{name}": data.read_bytes() for name, data in files if isinstance(data, Path)})
    assert import_files(store, "s", [("p.zip", folder)]).images == 2


def test_an_export_is_read_whatever_limit_cells_had_before(
    store: Store, bring: Bring, tmp_path: Path
) -> None:
    bring(archive({"items.csv": DATA, "img/a.png": png() + bytes(300_000)}), name="x.zip")
    export_project(store, "p", tmp_path / "out")
    csv.field_size_limit(131_072)  # the default, until tables of another kind are read
    assert import_files(store, "q", collect_files([tmp_path / "out"])).images == 1


def test_an_export_with_something_else_in_place_of_an_image_is_refused(
    store: Store, bring: Bring, tmp_path: Path
) -> None:
    bring(archive({"items.csv": DATA, "img/a.png": RED}), name="x.zip")
    export_project(store, "p", tmp_path / "out", file_format="jsonl")
    file = tmp_path / "out" / "images.jsonl"
    row = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**row, "media_type": "text/html", "content": "PGh0bWw+"}), encoding="utf-8")
    with pytest.raises(InvalidInput, match="img/a.png is not an image"):
        import_files(store, "q", collect_files([tmp_path / "out"]))


def test_a_copy_has_the_images_and_a_deleted_project_leaves_none(store: Store, bring: Bring) -> None:
    bring(RED, name="a.png")
    with store.writing() as session:
        copy_project(session, find_project(session, "p").id, slug="copy")
        delete_project(session, "p")
    assert content(store, "a.png", "copy") == ("image/png", RED)
    with store.writing() as session:
        delete_project(session, "copy")
        create_project(session, name="p")
    assert paths(store) == frozenset()
