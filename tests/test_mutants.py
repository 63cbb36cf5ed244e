"""What ``make mutants`` breaks, and whom it asks whether they notice."""

from tests.mutants import ROOT, _changed_lines, importing, mutants_of

DIFF = """diff --git a/game/apps.py b/game/apps.py
--- a/game/apps.py
+++ b/game/apps.py
@@ -3 +3,2 @@ class Game
-old
+new
+newer
@@ -9,2 +10,0 @@ def ready
-gone
-as well
@@ -20 +19 @@
-old
+new
diff --git a/solver/gone.py b/solver/gone.py
--- a/solver/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-old
-old
diff --git a/game/data/x.json b/game/data/x.json
--- a/game/data/x.json
+++ b/game/data/x.json
@@ -1 +1 @@
-0
+1
"""


def test_lines_that_are_new_or_different_are_broken_and_none_else() -> None:
    assert dict(_changed_lines(DIFF)) == {ROOT / "game/apps.py": {3, 4, 19}}


def test_what_imports_a_module_is_asked_about_it() -> None:
    assert importing([ROOT / "solver/charts/frame.py"]) == ["tests/solver/test_charts.py"]
    assert importing([ROOT / "nowhere/module.py"]) == ["tests"]


def test_a_mutant_is_the_file_with_one_thing_in_it_broken() -> None:
    file = ROOT / "solver/charts/frame.py"
    for mutant in mutants_of(file):
        assert mutant.source != file.read_text()
        assert mutant.source.count("\n") >= file.read_text().count("\n") - mutant.old.count("\n")
        compile(mutant.source, file.name, "exec")
