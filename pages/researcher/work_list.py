"""What raters flagged, skipped, commented and failed, and their conflicts, worked through one by one."""

from judgelab.ui.quality import work_list_view
from judgelab.ui.session import gate

person = gate.enter("researcher")
work_list_view.draw_work_list(gate.the_project(), person)
