# embed.py: embeddings by a small model (pip install wordllama==0.4.0.post1)
import json, os, sys, wordllama
model = wordllama.WordLlama.load(disable_download=True,
    cache_dir=os.path.dirname(wordllama.__file__))
texts = [json.loads(line)["text"] for line in sys.stdin]
for vector in model.embed(texts):
    print(json.dumps(vector.tolist()))
