"""All texts of the rating component; the browser gets them once, in the reader's language.

The browser fills in the templates' `{name}`. A text with a count comes as one template for each plural form
of the language, and the browser chooses among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.languages import _, current_language, plural_templates, text_direction
from judgelab.ui.kit import help_link
from judgelab.wording import Sentence, counted, mark

TEXTS: Mapping[str, str] = {
    # The line on top
    "done": mark("{done} of {total} done"),
    "answers_rated": mark("Answers rated"),
    "minutes_left": mark("about {minutes} min left"),
    "minutes_left_at_pace": mark("about {minutes} min left at your pace"),
    "minute_left": mark("under a minute left"),
    "minute_left_at_pace": mark("under a minute left at your pace"),
    "saving": mark("Saving {n}…"),
    "saved": mark("Saved {clock}"),
    "late": mark("{n} not saved yet, trying again"),
    "refused": mark("Not saved: {why}"),
    # The texts
    "question": mark("Question"),
    "answer_to_rate": mark("Answer to rate"),
    "context": mark("Text the answer is based on"),
    "task": mark("Task"),
    "summary_to_rate": mark("Summary to rate"),
    "source": mark("Source text"),
    "answer_named": mark("Answer {name}"),
    "summary_named": mark("Summary {name}"),
    "references": mark("Reference answers"),
    "reference_summaries": mark("Reference summaries"),
    "guidelines": mark("Guidelines for this project"),
    "version": mark("version {n}"),
    "show_typed": mark("Show as typed"),
    "show_formatted": mark("Show formatted"),
    "more": mark("Show more"),
    "less": mark("Show less"),
    "again": mark("You have already rated this one. Your rating stays until you save a change."),
    "flagged": mark("Flagged: {why}"),
    # What is chosen
    "better": mark("better"),
    "much_better": mark("much better"),
    "tie": mark("No difference"),
    "best": mark("Best"),
    "worst": mark("Worst"),
    "best_end": mark("best"),
    "worst_end": mark("worst"),
    "order": mark("Order so far: {names}"),
    "order_none": mark("1 is the best rank; equal ranks are ties."),
    "ends": mark("Best {best}, worst {worst}"),
    "pass": mark("Cannot judge"),
    "pass_of": mark("{label}: cannot judge"),
    "scores": mark("Scores"),
    "scored": mark("scored"),
    "chosen": mark("chosen"),
    "noted": mark("with a comment"),
    "current": mark("current"),
    "score_missing": mark("score missing"),
    "choice_missing": mark("choice missing"),
    "comment_missing": mark("comment missing"),
    # Questions beside the criteria
    "questions": mark("Questions"),
    "required_answer": mark("required"),
    "missing_answer": mark("answer missing"),
    "meaning": mark("{label}: what each point means"),
    "range": mark("A number from {low} to {high}"),
    "comment": mark("Comment, if the score needs a reason"),
    "choice_comment": mark("Comment, if the choice needs a reason"),
    "add_comment": mark("Comment"),
    "comment_needed": mark("Comment required: why?"),
    # Evidence
    "mark": mark("Mark evidence"),
    "marked": mark("Marked as evidence"),
    "mark_keys": mark(
        "Use the arrows to choose a word or sentence, Shift to extend, Enter to mark, Esc to leave."
    ),
    "unmark": mark("Remove mark: {said}"),
    "announce_marked": mark("Marked: {said}"),
    "announce_unmarked": mark("Mark removed"),
    # Marked errors
    "mark_error": mark("Mark error"),
    "errors": mark("Marked errors"),
    "error_type": mark("Type of error: {said}"),
    "error_severity": mark("How severe? {said}"),
    "change_error": mark("Change: {said}"),
    "announce_error": mark("Marked: {said} – {kind}"),
    "marks_full": mark("{n} places are marked; no more are possible here."),
    "select_first": mark("Select words in the answer first."),
    "error_hint": mark("Select text and choose “Mark error”, or choose “No errors”."),
    # Differences
    "show_differences": mark("Show differences"),
    "hide_differences": mark("Hide differences"),
    "differences_shown": mark("Differences shown: {first} only in {a}, {second} only in {b}"),
    "differences_none": mark("Both texts are the same."),
    "scroll_apart": mark("Scroll apart"),
    "scroll_together": mark("Scroll together"),
    "text_shown": mark("Text shown"),
    "differences_too_long": mark("The texts are too long to be compared."),
    # Buttons and dialogs
    "submit": mark("Submit"),
    "change": mark("Save changes"),
    "next": mark("Next: {label}"),
    "wait": mark("Submit in {clock}"),
    "skip": mark("Skip"),
    "flag": mark("Flag"),
    "undo": mark("Undo"),
    "flag_title": mark("Flag this answer"),
    "flag_why": mark("What is wrong with it? The researcher reads this; the answer stays on your screen."),
    "unflag": mark("Remove flag"),
    "cancel": mark("Cancel"),
    "close": mark("Close"),
    "keys": mark("Keys"),
    "how_to_rate": help_link.RATE.title,
    "all_keys": mark("all keys"),
    "checking": mark("Checking your scores…"),
    "go_on": mark("Continue"),
    "verdict_right": mark("{label}: {said}, right"),
    "verdict_close": mark("{label}: you chose {said}, expected {known}; close enough"),
    "verdict_wrong": mark("{label}: you chose {said}, expected {known}"),
    "pause": mark("Pause"),
    "paused": mark("Paused"),
    "paused_until": mark(
        "The answers on your screen are reserved for you until {clock}. Everything you submitted is saved."
    ),
    "pause_over": mark(
        "The pause ended at {clock}; the answers on your screen may have gone to other raters. Your "
        "ratings are saved."
    ),
    "keep": mark("Keep working"),
    "lease_ends": mark("Are you still there? In {clock}, these answers go to other raters."),
    "lease_over": mark(
        "The time for these answers is over and other raters may get them. What you submit now is still kept."
    ),
    # Messages
    "messages": mark("Messages"),
    "messages_title": mark("Messages to the study team"),
    "message_about": mark("Ask about this answer"),
    "message_about_item": mark("Write again about: {label}"),
    "message_help": mark("The study team sees the answer beside it, and its reply appears here."),
    "message_send": mark("Send"),
    "message_again": mark("Write again"),
    "message_sent": mark("Sent to the study team."),
    "message_you": mark("You"),
    "message_team": mark("Study team"),
    "message_waiting": mark("not sent yet"),
    "message_new": mark("new"),
    # A crowd worker's way out
    "give_back": mark("Return this study"),
    "give_back_title": mark("Return this study?"),
    "give_back_what": mark(
        "The answers on your screen go to other raters, and you get no completion code. What you "
        "submitted is kept. You can't take part a second time. Return the study on the platform as well."
    ),
    "give_back_sure": mark("Return study"),
    "time_ends": mark("your time ends at {clock}"),
    "platform_code": mark("Your completion code for the platform:"),
    "entry_questions": mark("Answer the questions"),
    "exit_questions": mark("Answer the last questions"),
    "platform_back": mark("Back to the platform"),
    # Time
    "own_how": mark("Time spent on answers; idle periods of more than a minute don't count."),
    "loading": mark("Loading the next answers…"),
    "announce_next": mark("Next answer"),
    "announce_missing": mark("Missing: {labels}"),
    "announce_comment_missing": mark("Comment missing: {labels}"),
    "announce_wait": mark("Read this first. You can submit in {clock}."),
    "rated_elsewhere": mark("You rated the last one in another tab; this is the next one."),
    "rated_elsewhere_too": mark(
        "You rated this one in another tab in the meantime. What you enter here replaces it."
    ),
    # The list of keys
    "key_score": mark("give this score; with several criteria, move to the next"),
    "key_criterion": mark("another criterion"),
    "key_point": mark("another point"),
    "key_first": mark("the first one is better"),
    "key_second": mark("the second one is better"),
    "key_much_first": mark("the first one is much better"),
    "key_much_second": mark("the second one is much better"),
    "key_tie": mark("no difference"),
    "key_towards": mark("towards the first or the second one"),
    "key_place": mark("give this rank and move on; the same rank twice is a tie"),
    "key_answer": mark("another answer"),
    "key_other_place": mark("a better or a worse rank"),
    "key_best": mark("name the best answer, then the worst"),
    "key_ends": mark("from best to worst and back"),
    "key_pass": mark("cannot judge this criterion"),
    "key_error": mark("mark the selected text as an error, or select words and sentences with the arrows"),
    "key_error_kind": mark("type, then severity of the marked error"),
    "key_no_errors": mark("no errors"),
    "short_error": mark("mark error"),
    "short_no_errors": mark("no errors"),
    "key_mark": mark("mark the selected text as evidence, or select words and sentences with the arrows"),
    "key_differences": mark("show or hide the differences between the two texts"),
    "key_apart": mark("scroll two long texts apart or together"),
    "key_other_text": mark("on a phone, show the other one of two long texts"),
    "key_submit": mark("submit, when nothing is missing"),
    "key_skip": mark("skip; it comes back at the end"),
    "key_undo": mark("undo: the last answer comes back as you left it"),
    "key_flag": mark("flag it for the researcher"),
    "key_comment": mark("comment on the current criterion; Enter or Esc leaves the field"),
    "key_question": mark("answer the questions below the scores; Enter or Esc leaves the field"),
    "key_typed": mark("show formatted texts as typed, or formatted again"),
    "key_references": mark("open or close the references"),
    "key_context": mark("open or close the text behind the answer"),
    "key_guidelines": mark("open or close the guidelines"),
    "key_messages": mark("ask the study team about this answer, and read its replies"),
    "key_pause": mark("pause; your current answers stay reserved"),
    "key_list": mark("this list"),
    # The same in short, under the buttons
    "short_score": mark("score and move on"),
    "short_one_score": mark("score, then Enter"),
    "short_criterion": mark("criterion"),
    "short_point": mark("point"),
    "short_first": mark("first"),
    "short_second": mark("second"),
    "short_place": mark("rank, next answer"),
    "short_answer": mark("answer"),
    "short_other_place": mark("rank"),
    "short_best": mark("best, then worst"),
    "short_ends": mark("best or worst"),
}
COUNTED: Mapping[str, Sentence] = {
    "errors_marked": counted("{n} error", "{n} errors", 1),
    "words": counted("{n} word", "{n} words", 1),
    "sentences": counted("{n} sentence", "{n} sentences", 1),
    "criteria_left": counted("Submit · {n} criterion left", "Submit · {n} criteria left", 1),
    "answers_left": counted("Submit · {n} answer left", "Submit · {n} answers left", 1),
    "choices_left": counted("Submit · {n} choice left", "Submit · {n} choices left", 1),
    "new_messages": counted("{n} new message", "{n} new messages", 1),
    "comments_left": counted("Submit · {n} comment left", "Submit · {n} comments left", 1),
}


def component_texts() -> dict[str, Any]:
    """Return the texts in the reader's language, with its code and direction."""
    return {
        "language": current_language(),
        "direction": text_direction(current_language()),
        "said": {name: _(text) for name, text in TEXTS.items()},
        "counted": {name: plural_templates(text) for name, text in COUNTED.items()},
    }
