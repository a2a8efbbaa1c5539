#!/usr/bin/env python3
"""models.py - compare models.tsv and prices.tsv with two price registries

A tool for maintainers; the build does not need it.  With the newest wheels of
the PyPI packages litellm and genai-prices (both MIT), which are only read:

    pip download --no-deps litellm genai-prices
    python3 lib/gen/models.py litellm-*.whl genai_prices-*.whl [DATE]

writes lib/gen/data/prices.tsv anew, and writes into each row of models.tsv the
day on which both registries last confirmed its context window and its limits of
tokens; DATE is that day (default: today).  A row whose source is a page (https:)
or a decision (decided:) was written by hand and is not changed.  A row that no
registry knows keeps its figures, source and date.  Prices that only one registry
has keep their date until they change.  A price about which the registries
disagree becomes "-" (not known), until the row is written by hand from the
provider's page.  Disagreements, and figures that the registries do not confirm,
are printed on standard error.

ctx finds the prices of a model by its name.  If ctx would find other prices for
a name than the registries have, or none, the name gets a line in names.tsv (if a
row of models.tsv has the same prices and window) or a new row in models.tsv.
tests/corpus/registry-prices.tsv gets the prices that the registries have for
all names; tests/unit/models.c compares them with those that ctx finds.
"""
import ast
import datetime
import json
import os
import re
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")
RECORDED = os.path.join(HERE, "../../tests/corpus/registry-prices.tsv")
# For each vendor of models.tsv: the provider in litellm and in genai-prices
# whose prices are the vendor's own.
PROVIDERS = {
    "alibaba": ("dashscope", None), "amazon": ("amazon_nova", None),
    "anthropic": ("anthropic", "anthropic"),
    "cohere": ("cohere_chat", "cohere"), "deepseek": ("deepseek", "deepseek"),
    "google": ("gemini", "google"), "minimax": ("minimax", "minimax"),
    "mistral": ("mistral", "mistral"), "moonshot": ("moonshot", "moonshotai"),
    "openai": ("openai", "openai"), "perplexity": ("perplexity", "perplexity"),
    "xai": ("xai", "x-ai"), "xiaomi": ("xiaomi_mimo", None),
    "zhipu": ("zai", "zai"),
}
FIGURES = ("in", "out", "read", "write", "hour")
# The names of the figures in litellm and in genai-prices, in the same order.
LITELLM = ("input_cost_per_token", "output_cost_per_token",
           "cache_read_input_token_cost", "cache_creation_input_token_cost",
           "cache_creation_input_token_cost_above_1hr")
GENAI = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok",
         "cache_write_1h_mtok")
# Endings that a registry may append to the name of a row of models.tsv, for the
# newest version of the model.
ENDINGS = ("", "-latest", "-preview")
# Words in the names of models for which no row is added: they are not for
# conversations in text, are tuned for one customer, or are open and sold by
# several providers.
SPECIAL = re.compile(
    "(^|-)(tts|audio|realtime|transcribe|image|embed|embedding|live|ocr|voice|"
    "banana|robotics|moderation|free|ft|completion|oss|gemma)(-|$)")
# What may follow the name of a row of models.tsv in another name of the same
# model (is_same_model in lib/cost/models.c): a date, or a word that changes no
# price.
SAME = re.compile(r"((-latest|-preview|-default|-\d{3,})"
                  r"(-latest|-preview|-default|-\d+)*)?")
# The condition of a price that always holds.  A condition has four parts: the
# first day, the number of input tokens above which the price holds, the days of
# the week (1 is Monday) and the hours of the day (UTC); "-" means any.
ALWAYS = ("-", "-", "-", "-")
# Beginnings of the source of a row that was written by hand.
BY_HAND = ("https:", "decided:")


# For each name that fold has returned: the name as a registry spells it, in
# lower case.
spelled = {}


def fold(name):
    folded = re.sub("[._:@]", "-", name.lower())
    spelled.setdefault(folded, name.lower())
    return folded


def squeeze(name):
    """Returns a name without the dashes between a letter and a digit."""
    return re.sub("([a-z])-([0-9])", r"\1\2", fold(name))


# ---- the registries: a dict of models for each provider ----

def read_litellm(wheel):
    path = "litellm/model_prices_and_context_window_backup.json"
    providers = {}
    for name, model in json.loads(wheel.read(path)).items():
        if name.count("/") < 2 and \
                model.get("mode") in ("chat", "responses", "completion"):
            models = providers.setdefault(model.get("litellm_provider"), {})
            models[fold(name.rsplit("/", 1)[-1])] = model
    return providers


def value_of(node):
    """Returns the value of an expression in data.py of genai-prices.  Such an
    expression calls only constructors; an object becomes a dict."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.List):
        return [value_of(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return {value_of(k): value_of(v)
                for k, v in zip(node.keys, node.values)}
    name = getattr(node.func, "id", None) or node.func.attr
    if name == "Decimal":
        return float(node.args[0].value)
    if name in ("date", "time"):
        return tuple(value_of(item) for item in node.args)
    return {"type": name, **{k.arg: value_of(k.value) for k in node.keywords}}


def names_of(clause):
    """Yields the names in a clause of genai-prices with which the clause
    compares the name of a model, or the beginning of it."""
    if clause["type"] in ("ClauseEquals", "ClauseStartsWith"):
        yield clause.get("equals") or clause.get("starts_with")
    for part in clause.get("or_", []):
        yield from names_of(part)


def read_genai(wheel):
    tree = ast.parse(wheel.read("genai_prices/data.py"))
    data = next(value_of(part.value) for part in tree.body
                if isinstance(part, ast.AnnAssign))
    providers = {}
    for provider in data:
        models = providers.setdefault(provider["id"], {})
        for model in provider["models"]:
            models[fold(model["id"])] = model
        for model in provider["models"]:
            for name in names_of(model["match"]):
                models.setdefault(fold(name), model)
    return providers


# ---- prices: for each condition a dict of figures ----

def add(prices, condition, figure, dollars):
    if dollars:
        prices.setdefault(condition, {})[figure] = round(dollars, 6)


def peak_hours(windows):
    """Returns the hours (UTC) from Monday to Friday that are in no window of low
    prices, such as "1-4,6-10": the hour after a dash is not in the range."""
    low = set()
    for window in windows:
        if 1 in window["weekdays"]:
            for hours in window["hours_utc"]:
                first, last = (int(t[:2]) for t in hours.split("-"))
                low |= set(range(first, last or 24))
    high = sorted(set(range(24)) - low)
    starts = [h for h in high if h - 1 not in high]
    ends = [h + 1 for h in high if h + 1 not in high]
    return ",".join("%d-%d" % pair for pair in zip(starts, ends))


def litellm_prices(model):
    prices = {}
    tiers = model.get("tiered_pricing") or [model]
    for tier in tiers:
        start = int(tier.get("range", [0])[0])
        condition = ("-", str(start) if start else "-", "-", "-")
        for figure, key in zip(FIGURES, LITELLM):
            add(prices, condition, figure, (tier.get(key) or 0) * 1e6)
    for key, dollars in model.items():
        tier = re.fullmatch(r"(.*)_above_(\d+)k_tokens", key)
        if tier and tier[1] in LITELLM:
            add(prices, ("-", tier[2] + "000", "-", "-"),
                FIGURES[LITELLM.index(tier[1])], dollars * 1e6)
    low = model.get("off_peak_pricing")
    if low:
        hours = peak_hours(low["windows"])
        prices["-", "-", "1-5", hours] = prices.pop(ALWAYS)
        for figure, key in zip(FIGURES, LITELLM):
            add(prices, ALWAYS, figure, (low.get(key) or 0) * 1e6)
    return prices


def genai_prices(model, today):
    listed = model["prices"]
    if isinstance(listed, dict):
        listed = [{"prices": listed}]
    prices = {}
    for row in listed:
        since = (row.get("constraint") or {}).get("start_date")
        if (row.get("constraint") or {}).get("start_time"):
            times = [row["constraint"][k] for k in ("start_time", "end_time")]
            # prices.tsv has only whole hours; two retired models have
            # prices that begin or end at other times.
            if any(time[1:2] > (0,) for time in times):
                return {}
            # genai-prices names the weekdays of these hours only in a
            # comment: Monday to Friday.
            first, last = (time[0] for time in times)
            same = [k for k in prices if k[2] != "-"]
            hours = "%d-%d" % (first, last)
            if same:
                prices["-", "-", "1-5", same[0][3] + "," + hours] = \
                    prices.pop(same[0])
                continue
            condition = ("-", "-", "1-5", hours)
        elif since and since > today:
            condition = ("%d-%02d-%02d" % since, "-", "-", "-")
        else:
            condition = ALWAYS
            prices.clear()
        for figure, key in zip(FIGURES, GENAI):
            price = row["prices"].get(key)
            if not isinstance(price, dict):
                price = {"base": price, "tiers": []}
            add(prices, condition, figure, price["base"])
            for tier in price["tiers"]:
                add(prices, (condition[0], str(tier["start"]), "-", "-"),
                    figure, tier["price"])
    return prices


# ---- both together ----

class Report:
    def __init__(self):
        self.disputes = self.unconfirmed = 0

    def say(self, *words):
        print(*words, file=sys.stderr)

    def dispute(self, name, what, mine, first, second):
        self.disputes += 1
        self.say("%s: %s: litellm %s, genai-prices %s%s" %
                 (name, what, first, second,
                  "" if mine is None else ", decided by hand: " + mine))

    def unsure(self, name, what, mine, other):
        self.unconfirmed += 1
        self.say("%s: %s: %s here, %s in the registries" %
                 (name, what, mine, other))


def find(models, name):
    """Returns the model with this name, or None, and how well the name fits
    (lower is better)."""
    for rank, ending in enumerate(ENDINGS):
        if fold(name) + ending in models:
            return models[fold(name) + ending], rank
    return None, len(ENDINGS)


def look_up(registries, row):
    """Returns the entries of both registries for a row of models.tsv.  An entry
    with the name of the row is preferred to one for the newest version of the
    model, which may be another model by now."""
    keys = PROVIDERS.get(row["vendor"], (None, None))
    found = [find(registry.get(key, {}), row["name"])
             for registry, key in zip(registries, keys)]
    best = min(rank for _, rank in found)
    return [model if rank == best else None for model, rank in found]


def text(dollars):
    return "-" if dollars is None else "%g" % dollars


def figure_of(row, figure):
    return None if row is None or row[figure] == "-" else row[figure]


def merge_prices(name, sources, decided, limit, report):
    """Returns the prices of a model: for each condition the figures about which
    the registries do not disagree."""
    rows = {}
    # If the limits of two prices differ by one token (from 200,000 tokens on,
    # above 200,000 tokens), they are one price.  The provider's page says which
    # limit is right.
    for condition in sources[1]:
        for other in list(sources[0]):
            if "-" not in (other[1], condition[1]) and \
                    abs(int(other[1]) - int(condition[1])) == 1:
                report.dispute(name, "tier", None, other[1], condition[1])
                sources[0][condition] = sources[0].pop(other)
    conditions = {**sources[1], **sources[0]}
    for condition in sorted(conditions, key=lambda c: [
            c[0], 0 if c[1] == "-" else int(c[1]), c[2], c[3]]):
        if condition[1] != "-" and int(condition[1]) >= limit:
            continue
        merged = {}
        for figure in FIGURES:
            first, second = (s.get(condition, {}).get(figure) for s in sources)
            mine = figure_of(decided.get(condition), figure)
            if None not in (first, second) and first != second:
                what = " ".join([figure, *(c for c in condition if c != "-")])
                report.dispute(name, what, mine, text(first), text(second))
                merged[figure] = "-"
            else:
                merged[figure] = text(first if second is None else second)
            if decided and text(None) != merged[figure] != (mine or "-"):
                report.unsure(name, figure, mine or "-", merged[figure])
        if any(f != "-" for f in merged.values()):
            rows[condition] = merged
    known = rows.get(ALWAYS, {"in": "-"})["in"] != "-"
    return rows if known else {}


def update_prices(model, entries, known, versions, today, report):
    """Returns the prices of a model: for each condition the figures, with date
    and source."""
    sources = [litellm_prices(entries[0]) if entries[0] else {},
               genai_prices(entries[1], today) if entries[1] else {}]
    decided = known if any(figures["source"].startswith(BY_HAND)
                           for figures in known.values()) else {}
    limit = int(model["input"]) or int(model["window"])
    merged = merge_prices(model["name"], sources, decided, limit, report)
    if decided or not any(sources) or \
            not all(sources) and same_figures(merged, known):
        return known
    return date_prices(merged, sources, versions, today)


def same_figures(prices, known):
    return prices == {condition: {f: figures[f] for f in FIGURES}
                      for condition, figures in known.items()}


def date_prices(prices, sources, versions, today):
    source = ", ".join(v for v, s in zip(versions, sources) if s)
    return {condition: {**figures, "date": "%d-%02d-%02d" % today,
                        "source": source}
            for condition, figures in prices.items()}


def same_size(mine, other):
    """Returns True if two numbers of tokens differ by at most 5 percent: many
    tables have 1,000,000 for 1,048,576, and 128,000 for 131,072."""
    return abs(mine - other) <= mine / 20


def confirm(model, entries, versions, today, report):
    """Sets date and source of a row of models.tsv if both registries confirm the
    figures of the row."""
    first, second = (entry or {} for entry in entries)
    wanted = [("window", first.get("max_input_tokens"),
               (model["window"], model["input"])),
              ("window", second.get("context_window"), (model["window"],)),
              ("output", first.get("max_output_tokens"), (model["output"],)),
              ("least", first.get("prompt_cache_min_tokens"),
               (model["least"],))]
    wanted = [item for item in wanted if item[1]]
    wrong = [(what, n, mine) for what, n, mine in wanted
             if not any(m != "-" and same_size(int(m), n) for m in mine)]
    for what, n, mine in wrong:
        report.unsure(model["name"], what, mine[0], "%d" % n)
    both = all(what == "window" for what, _, _ in wanted[:2]) and \
        len(wanted) > 1
    if both and not wrong and not model["source"].startswith(BY_HAND):
        model["date"] = "%d-%02d-%02d" % today
        model["source"] = ", ".join(versions)


# ---- names of the registries that are no rows ----

class Names:
    """The rows of the tables, and the names that stand for a row."""

    def __init__(self, models, prices, names):
        self.models, self.prices, self.names = models, prices, names
        self.rows = {squeeze(model["name"]): model for model in models}
        self.aliases = {fold(alias) for model in models
                        for alias in model["alias"].split(",")}

    def found(self, name):
        """Yields the rows whose names are beginnings of the given name, the
        longest first, each with the rest of the given name."""
        text = fold(name)
        for end in range(len(text), 0, -1):
            row = self.rows.get(squeeze(text[:end]))
            ends = text[end - 1:end + 1]
            if row and (end == len(text) or not (ends.isdigit() or
                                                 ends.isalpha())):
                yield row, text[end:]

    def prices_of(self, name):
        """Returns the prices that lib/cost/models.c finds for a name."""
        if name in self.names:
            return self.prices[self.names[name]]
        row, rest = next(self.found(name), (None, ""))
        if row is None or not SAME.fullmatch(rest):
            return {}
        return self.prices[row["name"]]

    def add_row(self, name, entries, like, prices):
        first, second = (entry or {} for entry in entries)
        row = dict(like, name=spelled[name], alias="-")
        if "." not in row["name"]:
            row["name"] = like["name"] + next(self.found(name))[1]
        window = second.get("context_window") or \
            first.get("max_input_tokens") or int(like["window"])
        if not any(same_size(int(like[k]), window) for k in ("window", "input")
                   if like[k] != "0"):
            row.update(window=str(window), input="0")
        output = first.get("max_output_tokens") or int(like["output"])
        row["output"] = str(min(output, int(row["window"])))
        row.update(least=str(first.get("prompt_cache_min_tokens") or
                             like["least"]))
        self.models.insert(self.models.index(like) + 1, row)
        self.rows[squeeze(name)] = row
        self.prices[row["name"]] = prices
        return row


def same_prices(mine, other):
    """Returns True if the prices of two models are equal.  Prices other than
    those of input and output may be unknown for one of the models."""
    mine, other = ({round_tier(c): p[c] for c in p} for p in (mine, other))
    return mine.keys() == other.keys() and all(
        figures[f] == other[condition][f] or
        f not in ("in", "out") and "-" in (figures[f], other[condition][f])
        for condition, figures in mine.items() for f in FIGURES)


def round_tier(condition):
    """Returns a condition whose limit is rounded, so that the conditions "from
    200,000 tokens on" and "above 200,000 tokens" are equal."""
    since, above, *rest = condition
    return (since, above if above == "-" else round(int(above), -1), *rest)


def add_name(names, name, entries, versions, today, report):
    """If ctx would not find the prices that the registries have for a name, adds
    a row or a line for the name.  Returns the registries' prices."""
    sources = [litellm_prices(entries[0]) if entries[0] else {},
               genai_prices(entries[1], today) if entries[1] else {}]
    like = next(names.found(name))[0]
    limit = int(like["input"]) or int(like["window"])
    prices = merge_prices(name, sources, {}, limit, report)
    if SPECIAL.search(name) or not prices or any(
            figures["out"] == "-" for figures in prices.values()) or \
            same_prices(prices, names.prices_of(name)):
        return prices
    size = (entries[1] or {}).get("context_window") or \
        (entries[0] or {}).get("max_input_tokens")
    same = [row for row, _ in names.found((entries[1] or {}).get("id", name))]
    same += [row for row, _ in names.found(name)]
    for row in same:
        if same_prices(prices, names.prices[row["name"]]) and (
                not size or any(same_size(int(row[k]), size)
                                for k in ("window", "input"))):
            names.names[name] = row["name"]
            return prices
    dated = date_prices(prices, sources, versions, today)
    row = names.add_row(name, entries, like, dated)
    row.update({k: dated[ALWAYS][k] for k in ("date", "source")})
    return prices


def add_names(names, registries, versions, today, report):
    """Adds names of the registries to the tables; returns the prices of each."""
    recorded = {}
    for vendor, keys in PROVIDERS.items():
        models = [registry.get(key, {})
                  for registry, key in zip(registries, keys)]
        for name in sorted({*models[0], *models[1]},
                           key=lambda name: (len(name), name)):
            row, rest = next(names.found(name), (None, ""))
            if row is None or row["vendor"] != vendor or name[-1] == "-" or \
                    name in names.aliases:
                continue
            if rest:
                recorded[name] = add_name(
                    names, name, [m.get(name) for m in models], versions,
                    today, report)
            else:
                recorded[name] = names.prices[row["name"]]
    return recorded


# ---- the tables ----

CONDITION = ("since", "above", "days", "hours")


def condition_of(row):
    return tuple(row[c] for c in CONDITION)


def read_table(path):
    """Returns the lines of the head, the names of the columns, and the rows."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    head = [line for line in lines if line.startswith("#")]
    columns = head[-1][1:].split("\t")
    return head, columns, [dict(zip(columns, line.split("\t")))
                           for line in lines if not line.startswith("#")]


def write_table(path, head, columns, rows):
    with open(path, "w", encoding="utf-8") as file:
        for line in head:
            file.write(line + "\n")
        for row in rows:
            file.write("\t".join(row[c] for c in columns) + "\n")


def write_recorded(recorded):
    """Writes the price of input and output for each name about which the
    registries agree, and whether lib/cost/models.c must find this price."""
    with open(RECORDED, "w", encoding="utf-8") as file:
        for name, prices in sorted(recorded.items()):
            if prices and prices[ALWAYS]["out"] != "-":
                file.write("%s\t%s\t%s\t%s\n" % (
                    spelled[name], prices[ALWAYS]["in"], prices[ALWAYS]["out"],
                    "special" if SPECIAL.search(name) else "known"))


def main():
    wheels = [zipfile.ZipFile(path) for path in sys.argv[1:3]]
    versions = [" ".join(os.path.basename(path).split("-")[:2])
                .replace("_", "-") for path in sys.argv[1:3]]
    date = sys.argv[3] if len(sys.argv) > 3 else str(datetime.date.today())
    today = tuple(int(part) for part in date.split("-"))
    registries = (read_litellm(wheels[0]), read_genai(wheels[1]))
    models = read_table(os.path.join(DATA, "models.tsv"))
    prices = read_table(os.path.join(DATA, "prices.tsv"))
    report = Report()
    found = {}
    for model in models[2]:
        entries = look_up(registries, model)
        known = {condition_of(row): row for row in prices[2]
                 if row["name"] == model["name"]}
        found[model["name"]] = update_prices(model, entries, known, versions,
                                             today, report)
        confirm(model, entries, versions, today, report)
    head = ["# Date: " + date if line.startswith("# Date: ") else line
            for line in models[0]]
    names = read_table(os.path.join(DATA, "names.tsv"))
    table = Names(models[2], found, {})
    recorded = add_names(table, registries, versions, today, report)
    write_table(os.path.join(DATA, "models.tsv"), head, *models[1:])
    write_table(os.path.join(DATA, "prices.tsv"), *prices[:2], [
        {**dict(zip(CONDITION, condition)), **figures, "name": model["name"]}
        for model in models[2]
        for condition, figures in found[model["name"]].items()])
    write_table(os.path.join(DATA, "names.tsv"), *names[:2], [
        {"name": name, "row": row} for name, row in sorted(
            table.names.items())])
    write_recorded(recorded)
    report.say("%d disagreements, %d figures that are not confirmed" %
               (report.disputes, report.unconfirmed))


if __name__ == "__main__":
    main()
