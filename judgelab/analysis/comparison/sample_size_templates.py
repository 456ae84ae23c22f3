"""Templates of the sentences that answer how many more items, pairs or raters would settle a claim."""

from __future__ import annotations

from judgelab.wording import mark

TEST_ANSWERS = {  # of the alternative annotator test, by unit of the plan and by what it says
    "items": {
        "again": mark(
            "{n} items show that {judge} passes the alternative annotator test; as many others would show it "
            "again."
        ),
        "might not": mark(
            "{n} items show that {judge} passes the alternative annotator test; {most} others like them "
            "might not."
        ),
        "fewer or more": mark(
            "{n} items show that {judge} passes the alternative annotator test; {needed} would show it in at "
            "least 80 % of data sets."
        ),
        "more": mark(
            "{n} items do not show that {judge} passes the alternative annotator test; about {needed} like "
            "them would show it in at least 80 % of data sets."
        ),
        "raters": mark(
            "{n} items do not show that {judge} passes the alternative annotator test; even {most} would "
            "show it in fewer than 80 % of data sets, but about {raters} raters would be enough."
        ),
        "none": mark(
            "{n} items do not show that {judge} passes the alternative annotator test; even {most} like "
            "them would show it in fewer than 80 % of data sets."
        ),
    },
    "pairs": {
        "again": mark(
            "{n} pairs show that {judge} passes the alternative annotator test; as many others would show it "
            "again."
        ),
        "might not": mark(
            "{n} pairs show that {judge} passes the alternative annotator test; {most} others like them "
            "might not."
        ),
        "fewer or more": mark(
            "{n} pairs show that {judge} passes the alternative annotator test; {needed} would show it in at "
            "least 80 % of data sets."
        ),
        "more": mark(
            "{n} pairs do not show that {judge} passes the alternative annotator test; about {needed} like "
            "them would show it in at least 80 % of data sets."
        ),
        "raters": mark(
            "{n} pairs do not show that {judge} passes the alternative annotator test; even {most} would "
            "show it in fewer than 80 % of data sets, but about {raters} raters would be enough."
        ),
        "none": mark(
            "{n} pairs do not show that {judge} passes the alternative annotator test; even {most} like "
            "them would show it in fewer than 80 % of data sets."
        ),
    },
}

JUDGES_ANSWERS = {
    "items": {
        "equal": mark(
            "{n} items do not show whether {first} or {second} agrees better with the raters: so far, "
            "both agree equally well."
        ),
        "again": mark(
            "{n} items show that {judge} agrees better with the raters, by {difference}; as many others "
            "would show it again."
        ),
        "might not": mark(
            "{n} items show that {judge} agrees better with the raters, by {difference}; {most} others like "
            "them might not."
        ),
        "fewer or more": mark(
            "{n} items show that {judge} agrees better with the raters, by {difference}; {needed} would show "
            "it in at least 80 % of data sets."
        ),
        "more": mark(
            "{n} items are too few to show whether {first} or {second} agrees better with the raters. So far "
            "it is {judge}, by {difference}; about {needed} items would show it in at least 80 % of data "
            "sets, if that is the true difference."
        ),
        "none": mark(
            "{n} items are too few to show whether {first} or {second} agrees better with the raters. So far "
            "it is {judge}, by {difference}; even {most} items would show it in fewer than 80 % of data "
            "sets, if that is the true difference."
        ),
    },
    "pairs": {
        "equal": mark(
            "{n} pairs do not show whether {first} or {second} agrees better with the raters: so far, "
            "both agree equally well."
        ),
        "again": mark(
            "{n} pairs show that {judge} agrees better with the raters, by {difference}; as many others "
            "would show it again."
        ),
        "might not": mark(
            "{n} pairs show that {judge} agrees better with the raters, by {difference}; {most} others like "
            "them might not."
        ),
        "fewer or more": mark(
            "{n} pairs show that {judge} agrees better with the raters, by {difference}; {needed} would show "
            "it in at least 80 % of data sets."
        ),
        "more": mark(
            "{n} pairs are too few to show whether {first} or {second} agrees better with the raters. So far "
            "it is {judge}, by {difference}; about {needed} pairs would show it in at least 80 % of data "
            "sets, if that is the true difference."
        ),
        "none": mark(
            "{n} pairs are too few to show whether {first} or {second} agrees better with the raters. So far "
            "it is {judge}, by {difference}; even {most} pairs would show it in fewer than 80 % of data "
            "sets, if that is the true difference."
        ),
    },
}

WINS_ANSWERS = {  # which of two systems wins more pairs
    "equal": mark(
        "{n} pairs do not show whether {first} or {second} wins more often: so far, both win equally often."
    ),
    "again": mark(
        "{n} pairs show that {system} wins more often, by {difference}; as many others would show it again."
    ),
    "might not": mark(
        "{n} pairs show that {system} wins more often, by {difference}; {most} others like them might not."
    ),
    "fewer or more": mark(
        "{n} pairs show that {system} wins more often, by {difference}; {needed} would show it in at least "
        "80 % of data sets."
    ),
    "more": mark(
        "{n} pairs are too few to show whether {first} or {second} wins more often. So far it is {system}, "
        "by {difference}; about {needed} pairs would show it in at least 80 % of data sets, if that is the "
        "true difference."
    ),
    "raters": mark(
        "{n} pairs are too few to show whether {first} or {second} wins more often. So far it is {system}, "
        "by {difference}; even {most} pairs would show it in fewer than 80 % of data sets, but about "
        "{raters} raters per pair would be enough, if that is the true difference."
    ),
    "none": mark(
        "{n} pairs are too few to show whether {first} or {second} wins more often. So far it is {system}, "
        "by {difference}; even {most} pairs would show it in fewer than 80 % of data sets, if that is the "
        "true difference."
    ),
}

MEANS_ANSWERS = {  # which of two systems is rated higher
    "equal": mark(
        "{n} items do not show whether {first} or {second} has the higher mean rating: so far, both are "
        "equal."
    ),
    "again": mark(
        "{n} items show that {system} has the higher mean rating, by {difference}; as many others would show "
        "it again."
    ),
    "might not": mark(
        "{n} items show that {system} has the higher mean rating, by {difference}; {most} others like them "
        "might not."
    ),
    "fewer or more": mark(
        "{n} items show that {system} has the higher mean rating, by {difference}; {needed} would show it in "
        "at least 80 % of data sets."
    ),
    "more": mark(
        "{n} items are too few to show whether {first} or {second} has the higher mean rating. So far it is "
        "{system}, by {difference}; about {needed} items would show it in at least 80 % of data sets, if "
        "that is the true difference."
    ),
    "raters": mark(
        "{n} items are too few to show whether {first} or {second} has the higher mean rating. So far it is "
        "{system}, by {difference}; even {most} items would show it in fewer than 80 % of data sets, but "
        "about {raters} raters per response would be enough, if that is the true difference."
    ),
    "none": mark(
        "{n} items are too few to show whether {first} or {second} has the higher mean rating. So far it is "
        "{system}, by {difference}; even {most} items would show it in fewer than 80 % of data sets, if that "
        "is the true difference."
    ),
}
