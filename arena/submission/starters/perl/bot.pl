# BOT_NAME: plays any game of the arena with random actions. Improve `choose`.
#
# The arena starts this program and exchanges lines of JSON with it: one message a line on standard input, one answer a
# line on standard output. Print nothing else to standard output. Standard error is stored and shown after a failure.
use strict;
use warnings;
use JSON::PP;

$| = 1;    # flush every line immediately

# Return the index of the action to play. $observation is all that your seat may know, $legal all allowed actions as
# objects, and $events what happened since your last turn. For the fields of an observation see
# `arena game show GAME --rules`, section Observation.
sub choose {
    my ($observation, $legal, $events) = @_;
    return int(rand(scalar @$legal));
}

while (my $line = <STDIN>) {
    my $message = decode_json($line);
    my $type    = $message->{type};
    if ($type eq "hello") {

        # "reuse" means that this process may play further matches, because it carries nothing over from one match to
        # the next. If you do not play the game, answer {"type": "decline"}.
        print encode_json({ type => "ready", reuse => JSON::PP::true }), "\n";
    }
    elsif ($type eq "start") {
        srand($message->{seed} % 4294967296);    # a new match; random numbers from its seed make it repeatable
    }
    elsif ($type eq "turn") {

        # $message->{clock}{remaining_ms} is the time left for the rest of the match.
        my $action = choose($message->{observation}, $message->{legal}, $message->{events});
        print encode_json({ action => $action }), "\n";
    }    # "end" reports the result and needs no answer
}
