"""A rater leaves a project and deletes what they gave to it; they can only do this for themselves.

The record in the log keeps how much they had worked, so that they are paid for it (`deleted_work`).
"""

from __future__ import annotations

from dataclasses import dataclass

from judgelab.annotation.links import withdrawal
from judgelab.annotation.rating.session import RatingSession, open_rating_session
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.people import deleted_work, erasure, memberships, recruitment_links
from judgelab.store.rating import active_time, assigned_units, assignments, progress_counts
from judgelab.wording import sentence


@dataclass(frozen=True)
class LeavePreview:
    """What leaving would delete and end.

    Attributes:
        ratings: scores, comparisons and rankings of all kinds, practice and checks included.
        working: whether the person still gets units.
        from_link: whether they joined through a recruitment link.
        answers: whether answers to the link's forms are stored.
        has_ending: whether they were given a completion code or an address.
        learned: whether a learned judge may have been trained on their ratings.
    """

    ratings: int
    working: bool
    from_link: bool
    answers: bool
    has_ending: bool
    learned: bool


def preview_leaving(store: Store, person_id: int, project_id: int) -> LeavePreview | None:
    """Return what leaving would do; None if the person has more rights than a rater or nothing to leave."""
    with store.reading() as session:
        try:
            rating_session = _open_own(session, person_id, project_id)
        except NotAllowed:
            return None
        return _preview(session, rating_session)


def leave(store: Store, person_id: int, project_id: int) -> None:
    """End the person's work in the project and delete their ratings, operations, drafts and answers to forms.

    Their unfinished units go to others, and units that they had rated need one more rater again. The
    membership stays with its platform id, so that nobody takes part twice and everybody is paid.
    Whoever had finished is not asked the exit questions any more before the completion code.

    Raises:
        NotAllowed: the person is not a rater of the project, or has more rights in it.
        InvalidInput: they have left already and nothing of theirs is stored.
    """
    with store.writing() as session:
        assignments.lock_project(session, project_id)
        rating_session = _open_own(session, person_id, project_id)
        preview = _preview(session, rating_session)
        if preview is None:
            raise InvalidInput(sentence("you have already left this study; nothing was changed."))
        last_hour = active_time.last_hour(session, person_id, at=now(), project_id=project_id)
        deleted_work.record(
            session,
            project_id,
            person_id,
            last_hour=last_hour,
            units=progress_counts.done_by_person(session, project_id).get(person_id, 0),
            ratings=preview.ratings,
            seconds=active_time.active_seconds(session, project_id, person_id).get(person_id, 0.0),
        )
        if preview.working:
            memberships.set_state(session, project_id, person_id, "returned")
        erasure.delete_given(session, person_id, project_id)
        memberships.save_training(session, project_id, person_id, {})
        recruitment_links.save_enrolment(session, project_id, person_id, background={}, exit_answers={})


def _open_own(session: Session, person_id: int, project_id: int) -> RatingSession:
    rating_session = open_rating_session(session, person_id, project_id)
    if memberships.roles_in(session, person_id, project_id) != {"annotator"}:
        raise NotAllowed(sentence("only raters can leave by themselves; ask an owner of the project."))
    return rating_session


def _preview(session: Session, rating_session: RatingSession) -> LeavePreview | None:
    person_id, project_id = rating_session.person_id, rating_session.project_id
    ending = withdrawal.ending_of(session, rating_session)
    preview = LeavePreview(
        ratings=erasure.count_given(session, person_id, project_id),
        working=rating_session.state in withdrawal.WORKING_STATES,
        from_link=rating_session.link_id is not None,
        answers=recruitment_links.has_answers(session, project_id, person_id),
        has_ending=ending is not None and ending.shown,
        learned=bool(erasure.learned_from(session, person_id, project_id)),
    )
    assigned = assigned_units.any_assigned(session, person_id, project_id)
    return preview if preview.working or preview.ratings or preview.answers or assigned else None
