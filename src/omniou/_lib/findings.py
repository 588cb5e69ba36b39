"""Findings: doubtful facts about input that can be read. Readers, the doctor and the record share them."""

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A likely mistake in the input, with its evidence and the way to fix it.

    Attributes
    ----------
    code : str
        Stable identifier in kebab case, such as ``"boxes-order"``: for filters and for tests.
    text : str
        What is doubtful, in one sentence without the path.
    evidence : str
        The numbers that show it; may be empty.
    hint : str
        The option or the step that fixes it, such as ``"--dt-boxes xyxy"``; may be empty.
    path : str
        The file or directory that it is about; empty where it is about both, or about no file.

    Examples
    --------
    >>> from omniou.data import Finding
    >>> finding = Finding(code="no-detections", text="no detections: AP and recall are 0", path="found.json")
    >>> str(finding)
    'found.json: no detections: AP and recall are 0'
    """

    code: str
    text: str
    evidence: str = ""
    hint: str = ""
    path: str = ""

    def __str__(self) -> str:
        """Path, text, evidence and hint in one line."""
        told = f"{self.path}: {self.text}" if self.path else self.text
        told = f"{told} ({self.evidence})" if self.evidence else told
        return f"{told}; {self.hint}" if self.hint else told
