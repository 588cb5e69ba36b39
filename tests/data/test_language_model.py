"""Answers of language models as detections: the JSON of Qwen, Gemini and Florence in files, records and text."""

import json
import warnings

import numpy as np
import pytest

from omniou import data
from omniou.data import InputError, InputWarning, Options
from tests.cli import cases
from tests.places import EXAMPLE

IMAGES = [{"id": 1, "file_name": "a.jpg", "width": 200, "height": 100}, {"id": 2, "file_name": "b.jpg"}]
TRUTH = {
    "images": IMAGES,
    "categories": [{"id": 1, "name": "car"}, {"id": 2, "name": "person"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 20, 30, 40], "area": 1200}],
}
CAR = '{"bbox_2d": [10, 20, 40, 60], "label": "car"}'
PERSON = CAR.replace("car", "person")
FLORENCE = {"bboxes": [[10, 20, 40, 60]], "labels": ["car"]}
QWEN = f"Here are the cars:\n```json\n[\n  {CAR}\n]\n```\nBoxes are [x1, y1, x2, y2], in 0..1000 [see 1]."


UNSCORED = Options(missing_scores=True)


@pytest.fixture
def truth(write):
    return data.read_ground_truth(write("gt.json", TRUTH))


@pytest.fixture
def read(write, truth):
    """Detections of a file of answers."""

    def read(content, **options):
        return data.read_detections(write("dt.json", content), truth, options=Options(missing_scores=True, **options))

    return read


def answer(text, **fields):
    return [{"image": "a.jpg", "response": text, **fields}, {"image": "b.jpg", "response": "[]"}]


ONE_CAR = {
    "text around a fence": answer(QWEN),
    "JSON in text": answer(f"[{CAR}]"),
    "decoded JSON": answer([json.loads(CAR)]),
    "one object": answer(CAR),
    "objects of images around": {"a.jpg": {"response": QWEN}, "b.jpg": {"text": "[]"}},
    "objects of images with more fields": {"a.jpg": {"response": QWEN, "seconds": 2}, "b.jpg": {"output": []}},
    "an object around": answer(f'{{"objects": [{CAR}]}}'),
    "a count next to the objects": answer(f'{{"result": {{"objects": [{CAR}], "count": 1}}}}'),
    "reasoning": answer(f"<think>perhaps [{CAR.replace('10', '12')}]</think>[{CAR}]"),
    "single quotes and commas": answer("[{'bbox_2d': [10, 20, 40, 60], 'label': 'car'},]"),
    "y first in 1000": answer('[{"box_2d": [200, 50, 600, 200], "label": "car"}]'),
    "Florence's task": answer({"<OD>": FLORENCE}),
    "Florence's dictionary as text": answer(str({"<OD>": FLORENCE})),
    "Florence's open vocabulary": {
        "a.jpg": {"<OPEN_VOCABULARY_DETECTION>": {"bboxes": [[10, 20, 40, 60]], "bboxes_labels": ["car"]}},
        "b.jpg": [],
    },
    "Florence without a task": {"a.jpg": FLORENCE, "b.jpg": {"bboxes": [], "labels": []}},
    "an object of images": {"a.jpg": QWEN, "b.jpg": "[]"},
    "an object of ids": {"1": [json.loads(CAR)], "2": []},
    "ids": [{"image_id": 1, "output": CAR}, {"image_id": 2, "output": "[]"}],
    "the question next to the answer": [
        {"image_id": 1, "text": "Give bbox_2d", "prediction": CAR},
        {"image_id": 2, "text": "Give bbox_2d", "prediction": []},
    ],
    "the class in another field": answer('[{"bbox_2d": [10, 20, 40, 60], "text_content": "car", "sub_label": "red"}]'),
    "ms-swift's records": [{"response": CAR, "images": [{"path": "a.jpg"}]}, {"response": "[]", "images": ["b.jpg"]}],
    "a name and the id of the same image": answer(CAR, image_id=1),
    "a record of each detection": [{"image": "a.jpg", **json.loads(CAR)}],
    "a record of each detection, by id": [{"image_id": 1, **json.loads(CAR)}],
}


@pytest.mark.parametrize("content", ONE_CAR.values(), ids=ONE_CAR)
def test_answers_are_read(read, content):
    found = read(content)

    assert found.boxes.tolist() == [[10, 20, 30, 40]]
    assert (found.labels.tolist(), found.images.tolist(), found.scores) == ([1], [1], None)


def test_lines_of_json_are_records(write, truth):
    lines = [json.dumps(x) for x in answer(QWEN)]

    assert data.read_detections(write("dt.jsonl", *lines), truth, options=UNSCORED).images.tolist() == [1]
    cut = write("dt.jsonl", *lines, '{"image": "c.jpg", "resp')
    with pytest.raises(InputError, match=r"dt\.jsonl: line 3: not valid JSON: unterminated string"):
        data.read_detections(cut, truth, options=UNSCORED)


@pytest.mark.parametrize("nothing", ["[]", "```json\n[]\n```"])
def test_a_file_of_each_image(write, tmp_path, truth, nothing):
    write("dt/a.txt", nothing)
    write("dt/b.txt", QWEN)

    found = data.read_detections(tmp_path / "dt", truth, options=UNSCORED)

    assert (found.boxes.tolist(), found.images.tolist()) == ([[10, 20, 30, 40]], [2])
    assert data.read_detections_only([tmp_path / "dt"], options=UNSCORED).formats == ("language-model",)


def test_location_tokens_of_paligemma(read):
    found = read(
        answer("<loc0256><loc0512><loc0768><loc1023> car ; <loc0000><loc0000><loc0512><loc0512><seg001> person")
    )

    assert found.boxes.tolist() == [[100, 25, 200 * 1023 / 1024 - 100, 50], [0, 0, 100, 50]]
    assert found.labels.tolist() == [1, 2]


def test_scores_are_read(write, truth):
    scored = CAR[:-1] + ', "score": 0.5}'

    assert data.read_detections(write("dt.json", answer(scored)), truth).scores.tolist() == [0.5]
    with pytest.raises(InputError, match=r"dt\.json: \[0\]\.response\[1\]\.score: missing"):
        data.read_detections(write("dt.json", answer(f"[{scored}, {PERSON}]")), truth)
    with pytest.raises(InputError, match=r"dt\.json: .*--missing-scores evaluates detections without scores"):
        data.read_detections(write("dt.json", answer(CAR)), truth)


def test_other_orders_and_values_are_read_by_options(read):
    assert read(answer(CAR), boxes="yxyx").boxes.tolist() == [[20, 10, 40, 30]]
    assert read(answer(CAR.replace("[10, 20, 40, 60]", "[50, 200, 200, 600]")), scale=1000).boxes.tolist() == [
        [10, 20, 30, 40]
    ]


FINDINGS = {
    "answers-cut": (
        f"```json\n[{CAR}, {PERSON}, {CAR[:20]}",
        "1 of 2 answers were cut off, and count up to there: 'a.jpg'",
    ),
    "answers-without-json": ("There are 0 cars, 0 people.", "have no JSON, and count as no detections: 'a.jpg'"),
}


@pytest.mark.parametrize(("code", "case"), FINDINGS.items())
def test_doubtful_answers_are_findings(read, code, case):
    text, words = case
    with pytest.warns(InputWarning, match=words) as caught:
        found = read(answer(text))

    assert [x.message.finding.code for x in caught] == [code]
    assert found.labels.tolist() == ([1, 2] if code == "answers-cut" else [])


def test_unfinished_reasoning_has_no_detections(read):
    with pytest.warns(InputWarning, match="1 of 2 answers were cut off, and count up to there: 'a.jpg'"):
        assert len(read(answer(f"<think>perhaps [{CAR}]")).boxes) == 0


def test_images_without_an_answer_are_a_finding(read):
    with pytest.warns(InputWarning, match="1 of 2 images have no answer, and count as images without detections"):
        read({"a.jpg": CAR})


def test_answers_to_unknown_images_are_a_finding_if_they_are_empty(read):
    with pytest.warns(InputWarning, match=r"1 of 3 answers excluded: 'c\.jpg' not among the images of .*gt") as caught:
        assert read([*answer(CAR), {"image": "c.jpg", "response": "[]"}]).labels.tolist() == [1]
    assert [x.message.finding.code for x in caught] == ["unknown-images"]


def test_several_lists_of_other_classes_are_all_read(read):
    assert read(answer(f"Cars: [{CAR}]\nPeople: [{PERSON}]")).labels.tolist() == [1, 2]
    assert read(answer(f"{CAR}\n{CAR}")).labels.tolist() == [1, 1]


FAULTS = {
    f"[{CAR}] or rather [{CAR}]": r": has several lists with 'car': keep the one that is the answer",
    "[[10, 20, 40, 60]]": r": has numbers, but no JSON with bbox_2d or box_2d",
    "<ref>car</ref><box>(10, 20), (40, 60)</box>": r": has numbers, but no JSON .*: write each box as \{\"bbox_2d\"",
    "A car at (10, 20), (40, 60).": r": has numbers, but no JSON",
    "car: x1=10, y1=20, x2=40, y2=60": r": has numbers, but no JSON",
    "| car | 10 | 20 | 40 | 60 |": r": has numbers, but no JSON",
    '[{"bbox_2d": [10, 20': r": is cut off before the end of a record",
    '[{"bbox_2d": [10, 20, 40, 60] "label": "car"}]': r": not valid JSON: expecting ',' delimiter",
    '[{"bbox_2d": [10, 20, 40], "label": "car"}]': r"\[0\]\.bbox_2d: expected 4 numbers, got 3",
    '[{"bbox_2d": [10, "20", 40, 60], "label": "car"}]': r"\[0\]\.bbox_2d\[1\]: expected number, got string",
    '[{"bbox_2d": [NaN, 20, 40, 60], "label": "car"}]': r"\[0\]\.bbox_2d\[0\]: expected finite number, got nan",
    '[{"bbox_2d": [1%s, 20, 40, 60], "label": "car"}]' % ("0" * 5000): r"expected finite number, got inf",
    '[{"bbox_2d": null, "label": "car"}]': r"\[0\]\.bbox_2d: expected list, got null",
    '[{"bbox_2d": [10, 20, 40, 60]}]': r"\[0\]\.label: missing",
    '[{"bbox_2d": [10, 20, 40, 60], "name": "car", "text": "red"}]': r"\[0\]\.label: missing: is it name or text\?",
    '[{"bbox_2d": [1, 2, 3, 4], "bbox_2d": [1, 2, 3, 4], "label": "car"}]': "'bbox_2d' is there twice in one object",
    '[{"bbox_2d": [1, 2, 3, 4], "box_2d": [1, 2, 3, 4], "label": "car"}]': "either bbox_2d or box_2d.* got the fields",
    '[{"box": [10, 20, 40, 60], "label": "car"}]': "got the fields box, label: rename box",
    '[{"bbox": [10, 20, 40, 60], "label": "car"}]': "may be corners, or a corner and sides: --gt-boxes and --dt-boxes",
    "car<loc_0><loc_0><loc_512><loc_512>": "has tokens such as <loc_12>: write what post_process_generation",
    "<loc0000><loc0000><loc0512> car": "expected location tokens in fours",
    '{"a":' * 2000: "nested too deep|cut off",
}


@pytest.mark.parametrize(("text", "words"), FAULTS.items())
def test_bad_answers_raise(read, text, words):
    with pytest.raises(InputError, match=rf"dt\.json: \[0\]\.response.*{words}"):
        read(answer(text))


RECORDS = {
    "null": (answer(None), r"\[0\]\.response: missing: write \[\] where the model found nothing"),
    "two answers": (answer(CAR, output=CAR), r"\[0\]: has answers in response and output: keep one"),
    "an image twice": (answer(CAR) + answer(CAR), r"\[2\]\.response: 'a\.jpg' is already the image of \[0\]\.response"),
    "an image by its name and its id": (
        [{"image": "a.jpg", "response": CAR}, {"image_id": 1, "response": CAR}],
        r"\[1\]\.response: 1 is already the image of \[0\]\.response: keep one answer",
    ),
    "a name and the id of another image": (
        answer(CAR, image_id=2),
        r"\[0\]\.image: names 'a\.jpg' and has image_id 2, which are two images of .*gt\.json: remove one of the",
    ),
    "two names": (
        [{"image": "a.jpg", "file_name": "b.jpg", **json.loads(CAR)}],
        r"\[0\]\.image: names 'a\.jpg' and has file_name 'b\.jpg', which are two images",
    ),
    "two images": (
        [{"images": ["a.jpg", "b.jpg"], "response": CAR}],
        r"\[0\]\.images: expected the name or the id of an image, got \['a\.jpg', 'b\.jpg'\]",
    ),
    "a phrase in another field": (
        [{"image": "a.jpg", "question": "left cup", "answer": "[1, 2, 3, 4]"}],
        r"\[0\]\.answer: .*; if question has the phrase of one box, rename it: expression, phrase, .* are read",
    ),
    "a phrase in another field next to its box": (
        [{"image": "a.jpg", "question": "left cup", "bbox": [1, 2, 3, 4]}],
        r"\[0\]\.label: missing; if question has the phrase of one box, rename it: expression, phrase",
    ),
    "a line of a server": (
        [{"custom_id": "a.jpg", "response": {"body": QWEN}}],
        r"\[0\]: .* give each image a record such as",
    ),
    "no image": ([*answer(CAR), {"response": CAR}], r"\[2\]\.image: missing"),
    "image of another type": ([{"image": ["a.jpg"], "response": CAR}], r"\[0\]\.image: expected the name or the id"),
    "two scales": (
        [{"image": "a.jpg", "response": CAR}, {"image": "b.jpg", "response": CAR.replace("bbox", "box")}],
        r"\[1\]\.response\[0\]: is box_2d, and other boxes are bbox_2d: give one model",
    ),
    "NaN in a column": (
        '{"a.jpg": {"bboxes": [[1, 2, 3, NaN]], "labels": ["car"]}}',
        r"a\.jpg\.bboxes\[0\]\[3\]: expected fin",
    ),
    "lengths": (
        {"a.jpg": {"bboxes": [[1, 2, 3, 4]], "labels": []}},
        r"a\.jpg\.labels: expected as many labels as boxes, 1",
    ),
}


@pytest.mark.parametrize("case", RECORDS.values(), ids=RECORDS)
def test_bad_records_raise(read, case):
    content, words = case
    with pytest.raises(InputError, match=f"dt\\.json: {words}"):
        read(content)


def test_an_image_that_an_object_has_twice_raises(read):
    with pytest.raises(InputError, match=r"dt\.json: 'a\.jpg' is there twice in one object"):
        read(f'{{"a.jpg": [{CAR}], "a.jpg": [{PERSON}]}}')


def test_unknown_images_raise(read):
    with pytest.raises(InputError, match=r"dt\.json: \[0\]\.image: 'c\.jpg' is not among the images"):
        read([{"image": "c.jpg", "response": CAR}])
    with pytest.raises(InputError, match=r"dt\.json: the name of the file: 'dt' is not among the images"):
        read([json.loads(CAR)])


def test_hints_of_the_doctor_work_for_answers(write):
    rng = np.random.default_rng(5)
    low = rng.integers(0, 300, (20, 2))
    corners = np.concatenate([low, low + rng.integers(50, 300, (20, 2))], axis=1)
    objects = [
        {"id": k + 1, "image_id": 1, "category_id": 1, "bbox": [x + 0.25, y + 0.25, x2 - x, y2 - y]}
        for k, (x, y, x2, y2) in enumerate(corners.tolist())
    ]
    image = {"id": 1, "file_name": "a.jpg", "width": 640, "height": 800}
    truth = write("gt.json", {**TRUTH, "images": [image], "annotations": objects})

    def hints(boxes, field, *options, **more):
        found = [{field: x, "label": "car", **more} for x in boxes.tolist()]
        done = cases.run(
            "check", truth, write("dt.json", [{"image": "a.jpg", "response": found}]), *options, "--format=json"
        )
        return [x["hint"] for x in json.loads(done.stdout)["findings"]]

    y_first = corners[:, [1, 0, 3, 2]]
    assert hints(y_first, "box_2d", "--missing-scores") == ["rename box_2d to bbox_2d, and give --dt-boxes yxyx"]
    assert hints(corners, "box_2d", "--missing-scores") == ["rename box_2d to bbox_2d, and give --dt-boxes xyxy"]
    assert hints(y_first, "bbox_2d", "--missing-scores", "--dt-boxes", "yxyx") == []
    assert not [x for x in hints(corners, "bbox_2d", score=0.5) if "decimals" in x]


def test_all_faults_are_listed_by_check(write):
    paths = [write("gt.json", TRUTH), write("dt.json", answer('[{"bbox_2d": [1, 2]}, {"box": 3}]'))]
    done = cases.run("check", *paths, "--missing-scores")

    assert done.exit_code == 3
    assert "[0].response[0].bbox_2d: expected 4 numbers" in done.output
    assert "[0].response[1]: expected an object with either bbox_2d or box_2d" in done.output


def test_answers_are_read_as_ground_truth(write):
    truth = data.read_ground_truth(
        write("gt.json", [{"image": "a.jpg", "response": '[{"box_2d": [200, 50, 600, 200], "label": "car"}]'}]),
        options=Options(image_size=(100, 200)),
    )
    assert (truth.targets.boxes.tolist(), truth.format) == ([[20, 10, 60, 40]], "yxyx")
    assert (truth.categories, truth.image_names) == ({0: "car"}, {0: "a.jpg"})


def _example():
    """For each file of the example, boxes in integers to 1000 and in pixels, and their classes; and COCO's list."""
    truth = json.loads((EXAMPLE / "ground_truth.json").read_bytes())
    images = {x["id"]: x for x in truth["images"]}
    names = {x["id"]: x["name"] for x in truth["categories"]}
    answers = {x["file_name"]: [] for x in truth["images"]}
    rows = []
    for x in json.loads((EXAMPLE / "detections.json").read_bytes()):
        image, (left, top, width, height) = images[x["image_id"]], x["bbox"]
        sides = [image["width"], image["height"]] * 2
        box = [round(v / side * 1000) for v, side in zip((left, top, left + width, top + height), sides, strict=True)]
        x1, y1, x2, y2 = (v * side / 1000 for v, side in zip(box, sides, strict=True))
        answers[image["file_name"]].append((box, [x1, y1, x2, y2], names[x["category_id"]]))
        rows.append({**x, "bbox": [x1, y1, x2 - x1, y2 - y1]})
    return answers, rows


FORMS = {
    "Qwen": lambda found: [{"bbox_2d": pixels, "label": f"{name.replace(' ', '_')}s"} for _, pixels, name in found],
    "Qwen in 1000": lambda found: [{"bbox_2d": box, "label": name} for box, _, name in found],
    "Gemini": lambda found: [{"box_2d": [box[k] for k in (1, 0, 3, 2)], "label": x.upper()} for box, _, x in found],
    "Florence": lambda found: {"<OD>": {"bboxes": [x for _, x, _ in found], "labels": [x for *_, x in found]}},
}


@pytest.mark.parametrize(("model", "form"), FORMS.items(), ids=FORMS)
def test_boxes_and_classes_are_the_same_as_of_coco(write, model, form):
    answers, rows = _example()
    path = write(
        "dt.json", [{"image": k, "response": f"```json\n{json.dumps(form(x))}```"} for k, x in answers.items()]
    )
    truth = data.read_ground_truth(EXAMPLE / "ground_truth.json")
    scale = 1000 if model == "Qwen in 1000" else None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = data.read_detections(path, truth, options=Options(missing_scores=True, scale=scale))
    expected = data.read_detections(write("coco.json", rows), truth)

    tables = [
        np.column_stack([x.images, x.labels, x.boxes])[np.lexsort([*x.boxes.round(6).T, x.labels, x.images])]
        for x in (found, expected)
    ]
    assert len(tables[0]) == 734
    np.testing.assert_allclose(*tables, atol=1e-9)
