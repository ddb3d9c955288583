# BOT_NAME: plays any game of the arena by choosing at random. Make `choose` clever.
#
# The arena starts this program and talks to it in lines of JSON: one message a line on standard input, one answer a
# line on standard output. Print nothing else there; standard error is kept and shown when something fails.
use strict;
use warnings;
use JSON::PP;

$| = 1;    # every line leaves at once

# The index of the action to play. $observation is all that your seat may know, $legal every allowed action as an
# object, $events what happened since your last turn. The fields of an observation: `arena game show GAME --rules`,
# section Observation.
sub choose {
    my ($observation, $legal, $events) = @_;
    return int(rand(scalar @$legal));
}

while (my $line = <STDIN>) {
    my $message = decode_json($line);
    my $type    = $message->{type};
    if ($type eq "hello") {

        # "reuse" means: this process may play further matches, because it keeps nothing from one to the next.
        # Answer {"type": "decline"} to a game that you don't play.
        print encode_json({ type => "ready", reuse => JSON::PP::true }), "\n";
    }
    elsif ($type eq "start") {
        srand($message->{seed} % 4294967296);    # a new match; luck from its seed makes it repeatable
    }
    elsif ($type eq "turn") {

        # $message->{clock}{remaining_ms} is what is left for the whole match.
        my $action = choose($message->{observation}, $message->{legal}, $message->{events});
        print encode_json({ action => $action }), "\n";
    }    # "end" tells the result; nothing is to be answered
}
