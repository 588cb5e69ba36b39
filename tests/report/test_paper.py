"""Tables for papers."""

import pytest

from omniou import detection

report = pytest.importorskip("omniou.report", reason="the extra cli is not installed")

BOX = [[0, 0, 10, 10]]
TRUTH = [{"boxes": BOX, "labels": [1]}]


def found(side):
    return detection.evaluate(TRUTH, [{"boxes": [[0, 0, 10, side]], "scores": [0.5], "labels": [1]}])


def test_table_of_three_models_in_latex():
    made = report.table({"ours & more": found(10), "B": found(9), "C": found(6)}, ["AP", "AP50", "APs"])
    assert made.to_latex().splitlines() == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r" & AP & AP$_{50}$ & AP$_{S}$ \\",
        r"\midrule",
        r"ours \& more & \textbf{100.0} & 100.0 & \textbf{100.0} \\",
        r"B & \underline{90.0} & 100.0 & \underline{90.0} \\",
        r"C & 30.0 & 100.0 & 30.0 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_numbers_unasked_are_those_of_papers():
    assert report.table({"A": found(10)}).numbers == ("AP", "AP50", "AP75", "APs", "APm", "APl")
    without_scores = {"F1": 0.5, "precision": 0.4, "recall": 0.6, "AP": 0.3, "AP50": 0.3, "AR": 0.2}
    assert report.table({"A": without_scores}).numbers == ("F1", "precision", "recall", "AP", "AP50")
    tracks = {"FPS": 3.0, "IDF1": 0.5, "HOTA": 0.4, "DetA": 0.3, "AssA": 0.2, "MOTA": 0.1, "IDSW": 3}
    assert report.table({"A": tracks}).numbers == ("HOTA", "DetA", "AssA", "MOTA", "IDF1", "IDSW")
    assert report.table({"A": {"x": 1.0, "y": 2.0}, "B": {"y": 3.0}}).numbers == ("y",)


def test_lowest_errors_and_switches_are_best_and_counts_of_objects_are_not_ranked():
    made = report.table(
        {"A": {"IDSW": 7, "mATE": 0.25, "IDs": 5, "own": 0.2}, "B": {"IDSW": 3, "mATE": 0.5, "IDs": 9, "own": 0.1}},
        ["IDSW", "mATE", "IDs", "own"],
        lower_is_better=["own"],
    )
    assert made.to_markdown().splitlines() == [
        "|  | IDSW | mATE | IDs | own |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| A | <u>7</u> | **0.250** | 5 | <u>20.0</u> |",
        "| B | **3** | <u>0.500</u> | 9 | **10.0** |",
    ]


def test_values_rank_as_they_are_shown_and_one_model_is_not_marked():
    rows = {"A": {"AP": 0.40512}, "B": {"AP": 0.40539}, "C": {"AP": 0.1}}
    assert report.table(rows).to_markdown().count("**40.5**") == 2
    assert report.table(rows, digits=2, percent=False).to_markdown().count("**") == 2
    assert "**" not in report.table({"A": {"AP": 0.4}}).to_markdown()


def test_missing_values_are_dashes():
    made = report.table({"A": {"AP": 0.5, "APl": None}, "B": {"AP": 0.25, "APl": float("nan")}})
    assert made.to_latex().splitlines()[4] == r"A & \textbf{50.0} & -- \\"
    assert str(made).splitlines()[1].split() == ["A", "50.0*", "-"]


def test_intervals_of_records_are_half_widths():
    images = [
        {"boxes": BOX, "labels": [1], "scores": [0.5 + k / 100]} if k % 4 else {"boxes": [], "labels": [], "scores": []}
        for k in range(40)
    ]
    record = report.record(detection.evaluate(TRUTH * 40, images), intervals=["AP"], samples=50)
    interval = record.intervals.numbers["AP"]
    assert not record.intervals.is_hidden("AP")
    ((error, other),) = report.table({"A": record}, ["AP", "AP50"]).errors
    assert (error, other) == (pytest.approx((interval.high - interval.low) / 2), None)
    assert f"$\\pm$ {100 * error:.1f}" in report.table({"A": record}, ["AP"]).to_latex()
    assert report.table({"A": record}, ["AP"], intervals=False).errors == ((None,),)


def test_frame_has_the_values_as_they_were_computed():
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = report.table({"A": {"AP": 1 / 3}, "B": {"AP": 0.5}}).to_pandas()
    assert frame.loc["A", "AP"] == 1 / 3
    assert list(frame.index) == ["A", "B"]


def test_names_are_text_in_every_form():
    made = report.table({"<b>_1|": {"AP": 0.5}})
    assert "&lt;b&gt;_1|" in made._repr_html_()
    assert made.to_markdown().splitlines()[2].startswith(r"| &lt;b&gt;\_1\| |")
    assert made.to_latex().splitlines()[4].startswith(r"<b>\_1| &")


@pytest.mark.parametrize(
    ("results", "numbers", "error", "told"),
    [
        ({}, None, ValueError, "`results` must name at least one model, got none"),
        ([1], None, TypeError, "`results` must be a mapping of names to results"),
        ({"A": 5}, None, TypeError, r"`results\['A'\]` must be a result with a summary"),
        ({"A": {"AP50": 1.0}}, ["AP5"], ValueError, r"`results\['A'\]` has no number 'AP5'; did you mean 'AP50'"),
    ],
)
def test_bad_results(results, numbers, error, told):
    with pytest.raises(error, match=told):
        report.table(results, numbers)
