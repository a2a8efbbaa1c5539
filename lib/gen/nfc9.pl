#!/usr/bin/perl
# Prints lib/gen/data/nfc9.tsv from the Unicode data of perl, which must be of
# version 9.0 or later.  This is a tool for maintainers; the build does not need
# it:
#
#   perl lib/gen/nfc9.pl | diff - lib/gen/data/nfc9.tsv
#
# The stability policy of Unicode says that classes and decompositions of
# characters never change.  So later data have the values of version 9.0 for the
# characters of version 9.0.
use strict;
use warnings;
use Unicode::Normalize qw(NFC getCombinClass);
use Unicode::UCD qw(charinfo);

my ($first, $last, $class) = (0, 0, 0);

sub range {
	printf "%04X\t%04X\t%d\n", $first, $last, $class if $class > 0;
}

sub characters {
	my ($use) = @_;

	for my $cp (0 .. 0xd7ff, 0xe000 .. 0x10ffff) {
		$use->($cp, chr $cp) if chr($cp) =~ /\p{Present_In: 9.0}/;
	}
}

print "# Unicode 9.0, what NFC asks for: first, last, ",
    "Canonical_Combining_Class if not 0;\n",
    "# or a character, =, its canonical Decomposition_Mapping, and X if it ",
    "is not composed\n";
characters(sub {
	my ($cp, $char) = @_;
	my $now = getCombinClass($cp);

	if ($now != $class || $cp != $last + 1) {
		range();
		($first, $class) = ($cp, $now);
	}
	$last = $cp;
});
range();
characters(sub {
	my ($cp, $char) = @_;

	my $info = charinfo($cp);

	return if ($cp >= 0xac00 && $cp <= 0xd7a3) || !defined $info;
	my $to = $info->{decomposition};
	return if $to eq '' || $to =~ /</;
	printf "%04X\t=\t%s%s\n", $cp, $to, NFC($char) eq $char ? '' : ' X';
});
