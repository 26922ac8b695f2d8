<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1">
<context>
    <name>QObject</name>
    <message>
        <source>Request %1: session %2 (%3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, round %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, document %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 does not exist. Check the path.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is a folder without a config.json. Drop a file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cannot be read: %2. Check its permissions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>model from %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>trace %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>simulated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>planned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>preflight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>launching</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warming</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measuring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopping</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>finished</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped by user</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>superseded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no predicted TTFT: the model cannot be sized</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dashes: TTFT by the emulator&apos;s preset %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dashes: TTFT guessed from public figures of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no predicted TTFT: the speed of this engine is not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>quantity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>basis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host tier for a target share of revisits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pass</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fail</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not possible</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not settled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>n/a</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ledger of the experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unexplained</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>explained by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>why</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>arm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Numbers and where they come from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run %1, plan %2, measured %3 by kvcliff %4, method version %5, gates %6</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SIMULATED: the engine is an emulator; its times are %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Caution: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What this run does not establish</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>withheld</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no estimate from this run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1; %2 sessions, %3 visits each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cliff with the tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cliff without the tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 sessions of %2 sizes%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, as predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, not where predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the share of the revisits&apos; tokens that is served falls below one half. The interval ends at the two sizes tried beside it; the estimate is the straight line between their shares. In blocks of the working set.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not reached</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no one value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revisits, on / off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arm coefficient of least squares on the session means of log TTFT over matched revisits, with centred position as second term; Student&apos;s t with sessions − 3 degrees of freedom. With two pairs the wider of this interval and the pairs&apos; is shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 to %2, geometric means; medians %3 and %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Geometric means of the revisits at the same position, with the tier minus without. Their ratio is the estimate above.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First visits, on / off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same over round 1: what storing costs while nothing can be reused yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order effect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order effect, a session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>position coefficient; %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no drift seen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a drift, taken out of the ratio</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How much TTFT changes from one compared session to the next, as a share. Position counts the compared sessions only.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>up to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smallest visible effect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The improvement that this run would find with 80 % power, by the noncentral t. With 1 or 2 degrees of freedom also at the upper 80 % limit of the spread.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>over %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pairs that would settle it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>or over %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enough pairs for 80 % power to put the whole interval on one side, if ratio and spread are as estimated.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If sessions did not differ</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bootstrap within sessions: too narrow when they differ</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests resampled inside each session. Right only if sessions do not differ.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU hit (control)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>out of order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 revisits, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Geometric mean TTFT of the control&apos;s revisits: everything fits the GPU. Expected: GPU hit &lt; host load &lt; compute.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted sources</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>R13: measured sources are the predicted ones</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests whose measured sources equal the prediction made before the run, to the token.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Break-even</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loaded tokens at which loading costs what it replaces.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT = a0 + a1 c + a2 c (s + c/2) + d bytes + e [bytes &gt; 0], robust fit; the median error.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT = a0 + a1 c + a2 c (s + c/2) + d bytes + e [bytes &gt; 0]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Total time, %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>per session, %1 sessions, first visits included</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>t0 to end, summed over the measured requests of a session.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in this run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of the revisits&apos; tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cannot tell: 1 more pair would settle it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cannot tell: %1 more pairs would settle it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; %1 too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> The measurements stay visible, the verdict does not.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On revisits of this workload the first token comes in %1 instead of %2: %3 of the time (95 % interval %4).</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n gate(s) could be judged and all pass.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 gates fail.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SIMULATED. </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> The engine was emulated; its times are %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>
Not established:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not reported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A counter that goes down was reset, or belongs to another process.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not in the bytes kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> … cut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>token ids sent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prompt hash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SHA-256 over the ids as little-endian int32</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>document, round</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>full blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only full blocks are cached</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>revisit distance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none: first visit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>distinct blocks since the last visit, itself included</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>  predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 ns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first non-empty token − t0, one monotonic clock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>outcome</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after %1 ms, %2 scrapes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>UTC</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>usage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as the engine sent it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>request id</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>text of choice 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV bytes per token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no measured request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open it to judge %L1 requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prompt tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens generated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens hit in the GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens loaded from host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sources sum to the prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prompt: sent = usage = counter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loaded tokens = loaded bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cached tokens in the body</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>external hits = host loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prefix and external queries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stored blocks × block bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stored bytes of the session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>whole blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only our request in the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no preemption, no failed store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>monotone, same process</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stream complete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted = measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>session totals</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>configuration = plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>arms differ in the tier only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cold start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>clocks in order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>client not late</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>same output in both arms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV events agree</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>metric generations agree</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>latency agrees (flag)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not applicable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is launched: the server runs already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The requests of a trace are counted when it is read. Predict shows its curve.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%L1 requests are too many to list here. The run predicts each of them before it is sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The arms also differ in %1: the comparison would not be of the tier alone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The arms do not differ: nothing would be measured.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The marked line is the only difference between the arms; the port differs from server to server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The %1 marked lines are the only difference between the arms; the port differs from server to server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours of the token sources</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>blank: not applicable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is no regular file. Save its content to one first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is empty. Copy it again from where it was written; a journal is made by the first run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is not a journal, plan, trace, model config, result of another tool or server log that is known here. A journal ends in .kvcliff; a plan has &quot;schema&quot;: &quot;kvcliff.plan/1&quot;.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 requests arrive before the one above them; they are taken in the order of the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>vLLM %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model %1 is not in the catalogue: drop its config.json</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 GPU blocks of %2 tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it does not say how many blocks the GPU cache has</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a host tier of %1 GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it set up no host tier: the plan&apos;s stays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags, parted by commas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags, parted by commas. Enter keeps them, Esc leaves them as they were</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why was there no reuse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing to compare</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::CliffChart</name>
    <message>
        <source>Where the prompt tokens come from, by size of the working set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 GPU hit, %3 host loaded, %4 computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (host %1 to %2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits the GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits the host tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits neither</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not fit the GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tier cannot help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loaded from host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>without the tier, computed again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tier gives nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>every revisit, again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the cliff without the tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the cliff</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the cliff with the tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This workload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>working set, documents of %1 blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>working set, blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>revisit distance, distinct blocks since the last use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>share of prompt tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drag the marker or a capacity line; wheel zooms, drag over the areas selects a range, Esc steps back, Home resets; Shift+click pins a size to compare with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tier is the larger</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This GPU cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU cache, usable blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; from the pin %1 blocks, %2 points GPU hit, %3 host loaded</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::CommandView</name>
    <message>
        <source>Exactly what is started. Lines with a bar differ between the arms</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::ComputedChart</name>
    <message>
        <source>TTFT against computed tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT, ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 tokens computed, %3 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 tokens, %2 ms</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::DecidePage</name>
    <message>
        <source>Simulated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy claim</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The claim is on the clipboard, with its limits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export report…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>HTML, PDF, Markdown, JSON, tables and every chart into a folder (Ctrl+Shift+E)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export this chart: PNG, SVG or PDF</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export chart %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not exported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cliff</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export chart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured cliff over the predicted one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter, F1 or a double click opens the definition of a number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What this run does not establish</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host tier for a target share of revisits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>quantity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>basis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loaded or hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of the revisits&apos; prompt tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>2^30 bytes, all ranks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not judged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Judge it all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run is judged when you ask for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run could not be judged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the journal and checking every counter…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No verdict before every session has ended.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No verdict before every session has ended. %1 of %2 have.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the %1 ms went</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the difference went</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Puts verdict, estimate, limits and run id on the clipboard</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no claim to copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Withdrawn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gates that fail: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show evidence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>helps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no effect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hurts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cannot tell</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>withdrawn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Caution: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (and %2 more notes)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimate withheld.
It returns when every gate passes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 reconciled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every check that applies and is possible passed, R17 and R21 apart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>control hits the GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>outputs equal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gate %1 fails</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 more gates fail</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All gates pass · run %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 gates fail · run %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Here: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder for the report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 files in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Areas: predicted, with the tier. Dots: measured with the tier (filled) and without (hollow). Bars: the measured cliff lies between their ends.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cliff found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only the tier differs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host tier by target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (and 1 more note)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::EcdfChart</name>
    <message>
        <source>TTFT of revisits (log), share of requests at or below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT of revisits, ms (log)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>median %1, n %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 without a TTFT left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 % of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 ms: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 ms, n %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::EventTimeline</name>
    <message>
        <source>Events on a time axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Events of the answer since t0, ms. Left and right move to the next event.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no times were recorded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>t0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>last token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first byte</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>end</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::Evidence</name>
    <message>
        <source>This run has %1 requests. Judging them all takes memory of about %2 GiB and some time; Run shows them as they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no scrape was made around this request</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::EvidencePanel</name>
    <message>
        <source>check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>residual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured − expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reason</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>counter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>since t0, ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>raw</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Evidence of the selected request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By meaning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As exported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only what moved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leaves out counters with the same value on both pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scrapes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stream</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scrapes of request %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stream (%1 events)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log (%1 lines)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines from 250 ms before the request to 250 ms after it, of %1 lines of the session.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The pages themselves were not kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scrape %1 and %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::HelpView</name>
    <message>
        <source>Predict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the prompt tokens of this workload would come from, by size of its working set, before anything runs. Drag the marker or a capacity line, or type a number; click an underlined number for its formula.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What will run: arms, order, controls, the exact commands and requests. Nothing starts that was not shown here first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each request as it ends: a bar of its prompt tokens by source with the prediction as outline, and its TTFT below. Wheel zooms, drag selects, Esc steps back, F follows the newest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reconcile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every check of every request, with its residual and its evidence. N goes to the next failure.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The verdict with its interval, every pair behind it, and what the run does not establish.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All experiments of the journal: search, tag, compare two, import, export, delete with undo.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search all definitions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Help text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The definitions cannot be read: %1 (%2). Reinstall the program&apos;s resources.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Definitions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every word this program uses, with its unit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing matches %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predict, Plan, Run, Reconcile, Decide, History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>demonstration, measure my server, open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>start (on Plan), pause after this request, stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>save plan, export this view, export report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>copy as text, copy as CSV</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>filter, server log, next pane, help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move in chart or matrix, open evidence, next and previous failure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>zoom, step back, reset, follow the newest request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The cliff</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shares of the prompt tokens by source against the size of the working set, and below, on the same axis, how far apart the uses of a block are. A block is found on the GPU when its distance fits the GPU cache. Wheel zooms, drag over the areas selects a range, Esc steps back, Home resets; Shift+click pins a size to compare with.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT, a guess</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a request of this size would take by source, from public or recorded figures of the GPU class. A calibration arm replaces the guess by a fit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One fresh server for each session, in the order in which they run, with the predicted source of every request.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exactly what is started, with its environment. A marked line differs between the arms; the plan file tab holds every field.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preflight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A look at this machine, and at the one that the launcher names, before anything starts. A failed check keeps the run from starting and says what to do.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every request of the selected session in the order sent, with its prediction and the reason for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests as they end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A bar for each request: filled as measured, outlined as predicted. An outline that stays empty beside a foreign fill is a miss. Below, on the same axis, the time to the first token.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chosen request, or the one under way: its times, its tokens by source, and its text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the server counts, as last scraped, and what the host tier moves.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the engine writes. The view keeps the newest lines and the journal all of them; a filter searches both.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checks by request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One column for each request, one row for each check. A pass is a dot, a failure a filled cell with a cross; a dash is a check that could not be made, with the reason. N goes to the next failure.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ledger</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was sent and what the server counted, side by side, to the token and the byte.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What stands behind the chosen cell: the scrapes before and after and what moved between them, the events of the stream on a time axis, and the lines of the log at that time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pairs and distributions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every revisit of a pair with and without the tier, joined by a line. Wheel zooms, drag selects, Esc steps back; Shift+click pins a point to compare with.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gain split</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the difference went: what is not computed any more, and what loading costs instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every number behind the verdict, with its interval and how it was made.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What this run does not establish</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The limits of the claim. They go with it wherever it is exported.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host tier by target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How large a host tier this workload needs for a share of its revisits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All experiments of the opened journals. Space checks a run, Enter opens it, F2 edits its tags, Delete deletes with undo.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What differs between the chosen runs, first of all: an effect of two settings is no effect of one.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::HistoryDiff</name>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model configuration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV dtype</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensor parallel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pipeline parallel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Further arguments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Block size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host tier, bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens of a document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revisit order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pairs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First arm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smallest effect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>setting</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::HistoryEffect</name>
    <message>
        <source>Effect, side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>simulated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2 to %3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>withheld: withdrawn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run %1, plan %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SIMULATED</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no effect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT ratio on revisits, with the tier / without, 95 %</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::HistoryLoader</name>
    <message>
        <source>%1 is a new journal: nothing has run into it yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 experiments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 experiment was added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 experiments were added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 were there already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, SHA-256 %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file is there already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 requests of %2 (%3 complete) were added</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::HistoryModel</name>
    <message>
        <source>today %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yesterday %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>judging</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>helps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no effect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hurts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cannot tell</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>withdrawn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>computed %1, host loaded %2, GPU hit %3, unknown %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 / %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not possible</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2 to %3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run %1
Journal %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Row of the run in its journal; check two to compare them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Local time of the start; the journal holds UTC</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name in the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model of the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine, its version as the server stated it, and the GPU; the flask marks simulated runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>working set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks that are revisited, in multiples of the usable GPU cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size of the host tier, GiB (2^30)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens by source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompt tokens of all measured requests: computed, host loaded, GPU hit, unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reconciled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests whose checks all pass, of all measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computed from the journal by the present method</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT ratio (95 %)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT on revisits, with the tier over without it, with its 95 % interval; sessions are the unit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your own words, separated by commas; double-click or F2 to edit</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::HistoryPage</name>
    <message>
        <source>Journals (*.kvcliff *.db *.sqlite);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stops the copy or the deletion after the present part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open journal…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Adds another journal to the list (Ctrl+O)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writes each chosen run as one journal file that opens on another machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deletes the chosen runs; can be undone until the window closes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compares the chosen runs, differing settings first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show what is known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open another</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is of a newer schema: what is known of it is shown, and nothing is written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cannot be written: it can be compared and exported, but not tagged or deleted from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is read only. Change its permissions, or delete from a copy.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is being written by a run. Stop it, or wait for its end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 experiment of %1. A copy is kept until the window closes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 experiments of %2. A copy is kept until the window closes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags not saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not restored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not imported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not exported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The deleted experiments are back in %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Imported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a journal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the runs into a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All words must occur, in any of: name, model, engine, tags, verdict, run id, plan hash (Ctrl+F)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search name, model, tag, plan hash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reconciled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Withdrawn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which runs are listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Space checks a run, Enter opens it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lists all runs again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Configuration, first what differs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings of the compared runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Effect, side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>different models: do not subtract</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export this chart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exports the chart as PNG, SVG or PDF</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 settings differ</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>different engines: do not subtract</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export %1…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 journals</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 experiment in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 experiments in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No journal is open. The demonstration makes the first one; a journal can also be dropped here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This journal is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the demonstration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run of this kind.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run matches “%1”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 selected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 experiments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Journals and results (*.kvcliff *.db *.sqlite *.json *.jsonl *.gz *.zst);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copies into this journal: the experiments of a bundle, or a result of vllm bench serve, AIPerf, GuideLLM or inference-perf</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>imported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import a bundle or a result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 experiment</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::HistoryTable</name>
    <message>
        <source>Experiments</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::HistoryVerdict</name>
    <message>
        <source>Verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open on Decide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open this run on Decide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows this run on Run, Reconcile and Decide (Enter in the table)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Judging this run…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sealed: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No verdict.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::ImportDialog</name>
    <message>
        <source>Import a result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 request measured by %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 requests measured by %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It becomes an experiment of one session in %1. Times and lengths are the tool&apos;s own. Token sources and counters are not in it: their checks are not possible, and one session is no comparison.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Under this name it stands in History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server that was measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>had no host tier (arm off)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>had a host tier (arm on)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file does not say it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A name is needed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At most %1 characters.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::IntervalStrip</name>
    <message>
        <source>Ratio of TTFT, with over without the tier, with its 95 % interval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimate %1, 95 % interval %2 to %3. Inside %4 to %5 is no effect.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no effect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>helps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hurts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT with the tier / without</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::LedgerModel</name>
    <message>
        <source>measured − expected − explained; anything but 0 withdraws the claim</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>quantity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>explained by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unexplained</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::Legend</name>
    <message>
        <source>Legend</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::LogDock</name>
    <message>
        <source>Server log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter the server log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows only lines that contain these words; lines that are no longer kept here are searched in the journal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow the newest line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keeps the newest line in view; scrolling back pauses it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the server log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close (Ctrl+L)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines of the server log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>newest %1 of %2 matches in %3 lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of all %2 lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>newest %1 of %2 lines; the journal has all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only the lines kept here are searched</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::MainWindow</name>
    <message>
        <source>Pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No server running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV Cliff</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (measuring)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Start screen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the &amp;demonstration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Measure my server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Save plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Export this view…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export &amp;report…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as C&amp;SV</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Predict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>P&amp;lan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Re&amp;concile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Decide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>E&amp;xperiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>session %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, process %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, port %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 not green</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 pass</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Pause after this request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server &amp;log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fo&amp;llow the newest request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>H&amp;istory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;All definitions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A&amp;bout KV Cliff</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About KV Cliff</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run is finished</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run was stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A server is running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An experiment is running. Stop its server and close? What was measured stays in the journal; the open session is repeated when the run is resumed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a journal, plan, trace, config.json, result or server log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV Cliff files (*.kvcliff *.json *.jsonl *.csv *.log *.gz *.zst);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help on this panel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV Cliff %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Does a host tier for the KV cache help this model, this GPU, this workload?

Qt %1. Licence: GPL-3.0-or-later.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::MatrixLegend</name>
    <message>
        <source>Legend: dot pass, cross fail, dash not possible, wave not settled, blank not applicable</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::MatrixModel</name>
    <message>
        <source>Session %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pair %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2. %3: %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, residual %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::MatrixView</name>
    <message>
        <source>Checks by request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows are checks, columns are requests. Arrows move, Enter opens the evidence, N goes to the next failure.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not possible</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Session %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every check that is possible passed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No measured request.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 pair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fails</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 pairs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 not settled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 not possible</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>← %1 open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 open →</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::NumberField</name>
    <message>
        <source>A number is needed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A whole number is needed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At least %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At most %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” is not a number. Type digits alone, without a unit.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::Page</name>
    <message>
        <source>Export the table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not exported</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::PairsChart</name>
    <message>
        <source>Every revisit, off and on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT, ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pair %1, round %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pair %1, rounds %2 to %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>control</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 points, %2 joined pairs of visits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pair %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::PlanPage</name>
    <message>
        <source>Engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is launched for each session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Emulator, as vLLM</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>vLLM</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A server that runs already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version asked for; a server of another version fails the gate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>any version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine environment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of an installed environment, or a folder; empty = the PATH</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from the PATH</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Environment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>engine version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>environment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launcher</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where servers are started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Over SSH</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In a container</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As Slurm jobs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>launcher</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Further arguments, one a line, the same in every arm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Further arguments of the engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One argument a line, passed on exactly as written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>arguments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dummy weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Made up by the engine: times are real, answers mean nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Judgement and limits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smallest effect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Difference of interest in percent: below it the verdict is “no effect”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start limit, s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Silence of a starting engine after which it is given up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ceiling, s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run ends after so many seconds; 0 = no ceiling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep raw answers and scrapes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compressed in the journal, as evidence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>raw answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launcher option %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>launcher.%1 of the plan file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Offload off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>baseline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU prefix cache alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Offload on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>under test</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same plus the host tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Control, fits the GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The working set fits the GPU, offload off: what a GPU hit costs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No reuse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>must show no gain</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All prompts distinct, tier on: nothing may be served from a cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A/A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>must show no effect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Equal sessions compared with each other: the effect must be none. Four sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Equal memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU + host as GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A GPU cache as large as GPU and host together, where the card has room</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>add arm %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>remove arm %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order and load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pairs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pairs of sessions off and on, in the order off on, on off, on off, off on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arm that comes first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which arm comes first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first arm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conditioning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions before the pairs that are measured and discarded: a first server on a cold disk is slower</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How requests follow each other, and what that means for attribution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Serial</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Streams side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open loop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Streams</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests in flight together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rate, 1/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests per second, Poisson unless the plan file says constant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exports are named after it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared prompts that are visited again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompt tokens of a document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Passes over all documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens asked for, exactly, at temperature 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The prompts follow from it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An arm of the plan file. Unchecking removes it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One request at a time: its counters are the difference of two settled scrapes, exact per request.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests overlap: tokens are attributed by window, not per request, unless the engine reports them in the body.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 fault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 faults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1.%2 Commands and requests show the last valid plan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> The others stand beside their fields.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens a plan file (kvcliff.plan/1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saves the plan to its file (Ctrl+S)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a plan file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start the experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans (*.json);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan saved to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An experiment runs. Stop it, or wait for its end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>The plan has %n fault(s), each beside its field.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>An entry is not understood: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The preflight looks at this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n preflight check(s) failed.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Starts the servers one after the other (Ctrl+R). Nothing runs that is not shown here</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n fault(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>1 session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan is valid: nothing runs until you start it</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Plan has %n fault(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>preflight took %1 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the request list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a session to see its command and its requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command, environment, difference, plan file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command of the selected session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Environment of the selected session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Difference of the arms off and on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every field of the plan (kvcliff.plan/1). Changes apply as soon as the text is a whole plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copies the command of the selected session, ready for a shell</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exports the request list as CSV (Ctrl+E)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests of the selected session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One fresh server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 fresh servers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 requests, with the sources predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SHA-256 of the plan, on every export: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at most about %1 min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As if every prompt were computed in full, by the emulator&apos;s preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>time unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Likely not meant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Environment (%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is set beyond what this program inherits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests of session %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 measured, after %2 or more salted warm-up requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preflight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>looking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look at the machine again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looks at this machine again: port, memory, GPU, disk, processes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preflight checks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cannot start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>may start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Power of the least squares interval by number of pairs, when session means differ by 3 %; the run&apos;s own spread replaces it on Decide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No verdict from fewer than two pairs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two pairs give a wide interval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What %1 pairs can see</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions are the unit of replication: an interval needs two in either arm.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions are the unit of replication.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions are the unit of replication. If they differ by 3 %, a ratio of 0.8 is called “helps” with %1 power.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pairs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at 0.8</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at 0.9</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>detectable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes of the plan “%1” were not saved when another took its place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What differs between the arms off and on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command of session %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::PlanRequests</name>
    <message>
        <source>%1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warm-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first visit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>#</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Number of the request in its session; warm-up requests come first and are not counted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>round</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Visit number of this document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The shared prompt that is visited again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompt tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>full blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whole blocks of the prompt: only these can be reused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>distance, blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revisit distance: distinct blocks since the last visit, the request&apos;s own included. A cache of so many blocks still holds it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens predicted to be found in the GPU cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens predicted to be loaded from the host tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens predicted to be computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>why</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reason for the largest part of the request</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::PlanSessions</name>
    <message>
        <source>%1 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions of the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Session %1 of %2, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No session: the schedule has no pair and no control.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>conditioning, discarded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pair %1: %2 first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>offload off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>offload on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%L1 requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a trace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Session %1: arm “%2” on a fresh server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>
GPU cache %1 blocks, host tier %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>
At most about %1, as if everything were computed</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::Plot</name>
    <message>
        <source>%1 could not be written: %2. Choose another place or free some space.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PNG picture, 2x (*.png)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PNG picture, 1x (*.png)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PNG picture, 3x (*.png)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export chart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SVG drawing (*.svg)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PDF page (*.pdf)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::PointPlot</name>
    <message>
        <source>Wheel zooms, drag selects a range, Esc steps back, Home resets; Shift+click pins a point to compare with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 from the pin</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::PredictPage</name>
    <message>
        <source>Unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV bytes per token of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 bytes per token, whole model; %2 per rank; %3 over all ranks, copies counted. One block of %4 tokens takes %5 bytes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>factor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>where it comes from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>full blocks of a document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only full blocks are cached: floor(%1 / %2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens always computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the partial tail block is never cached; the last token is always run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>usable GPU blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 allocated, one is the null block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>floor(%1 bytes / bytes of a chunk over all ranks, rounded up to 4,096)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>working set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>distinct prompt blocks that are revisited</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU edge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>LRU, tail of a document first: in cyclic order hits fall from all to none over one document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host edge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rule seen live</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why the curve is what it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>blocks or tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · %2 docs · GPU %3 · host %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to this scenario</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kept scenario</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks, tokens and GiB are three views of one value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model of the catalogue (type to search), or drop a config.json onto the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV dtype</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensor parallel size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pipeline parallel size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tensor parallel size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipeline parallel size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes per token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where this number comes from, factor by factor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Derivation of bytes per token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host rule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>vLLM 0.31 and later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>vLLM 0.26</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>vLLM up to 0.25</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When a host entry becomes recent: at the end of a request (steep edge), in random order inside a transfer (a step, shown as a band), or at every look-up (a ramp)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens of a document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared prefix, tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rounds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared prefix</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revisit order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cyclic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Random</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zipf</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reverse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Working set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Working set in multiples of the GPU cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Working set as a multiple of the GPU cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens of a document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shared prefix</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>revisit order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 blocks + %2 tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2 layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 × GPU cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Curve: %1 sizes, %2, %3 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one-pass bound</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use in plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep this scenario</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Puts this scenario beside the others, to compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Explain</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the prompt tokens come from, by size of the working set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revisits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All visits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tier on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tier off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export this chart (Ctrl+E)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export chart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not exported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One revisit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The cliff</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT, a guess</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The guess rests on public or recorded figures of this GPU. A calibration arm replaces it by a fit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept scenarios</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the cliff for %1, %2 documents, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This workload cannot be predicted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not possible</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of the prompt tokens of a revisit %1 are hit on the GPU, %2 loaded from the host, %3 computed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits the GPU cache: the tier cannot help.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Does not fit the GPU cache, and there is no host tier.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A tier of %1 blocks would hold the working set.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host tier not larger than the GPU cache: it gives nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is inclusive: what it holds, the GPU holds too. It begins to help above %1 blocks; %2 would hold the working set.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gives nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits the host tier, not the GPU cache: the tier can serve every revisit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Without the tier, what it loads is computed again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Larger than the host tier: part of the reuse is lost.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits neither: the tier gives nothing and only costs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 blocks of host tier would hold the working set.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits neither</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host rule: recency set once, when a request finishes (vLLM 0.31 on): a steep edge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host rule: random order inside a transfer (vLLM 0.26): a step; the band holds every order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host rule: every look-up touches (vLLM up to 0.25): a ramp one document wide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>. One-pass bound shown, exact points follow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One revisit, %1 tokens, on average</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not in view</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> · %1 GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all on the GPU to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>half gone at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tier: all reused to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tier: half gone at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all %1 block revisits: %2 to %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The table as text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The table with commas, for a spreadsheet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writes the table as a CSV file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing taken</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing in %1 is of an engine that is known here. A log of vLLM&apos;s start states its capacities.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only the first 64 MiB were read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>server log %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From the log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2. But %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parallel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks that are allocated, less the null block, which holds no tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The tier is inclusive: what the GPU holds, it holds too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model of the catalogue (type to search), the path of a config.json, or drop one onto the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 less 1 null block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 less 1 null block · %2 documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 bytes · %2 documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the cliff for %1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its prompts have many lengths: a guess needs one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loading wins from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the trace.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Building the sessions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of %1 prompt tokens %2 are hit on the GPU, %3 loaded from the host, %4 computed. No cache could serve more than %5.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is asked twice: no cache can help.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no reuse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All reuse fits the GPU cache: the tier cannot help.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Part of the reuse does not fit the GPU cache, and there is no host tier.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The host tier serves all reuse that the GPU cache loses.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The host tier serves part of the reuse that the GPU cache loses.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tier serves %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the GPU cache loses, the tier has lost too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 requests, %2 distinct blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All %1 requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What there is to reuse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prompt tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reused at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>distinct</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all of them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 block revisits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU side exact; host side as an LRU by the book would give, whatever the version&apos;s rule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests of the trace, 0 = all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the first so many requests; 0 takes all of the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leaves the trace or the sessions; Undo brings them back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>requests of the trace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trace %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 sessions of %2 turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A prompt grows by %1 tokens a turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name a model of the list, or the path of a config.json.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is not there. Check the path.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model “%1” in the catalogue. Choose one of the list, or give the path of a config.json.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Documents shorter than one block: nothing is ever cached.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only full blocks of %1 tokens are cached, and a document has %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::PredictedChart</name>
    <message>
        <source>Predicted against measured tokens, by source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2, predicted %3, measured %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>every point on the diagonal (R13)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 requests are not as predicted (R13)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 without a prediction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted %1, measured %2 tokens</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::Rail</name>
    <message>
        <source>1 PREDICT</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The cliff, before anything runs (Ctrl+1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>2 MEASURE</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions, commands, requests, preflight (Ctrl+2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Token sources and TTFT as requests end (Ctrl+3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>3 DEFEND</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reconcile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every check on every request (Ctrl+4)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verdict, evidence, and what the run does not establish (Ctrl+5)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All experiments of the journal (Ctrl+6)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::ReconcilePage</name>
    <message>
        <source>Reconcile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine of this run was emulated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export evidence…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writes requests, checks, ledgers and events as CSV into a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checks by request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only what is not green</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hides checks and requests that passed (Ctrl+F)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show only what is not green</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next failure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To the next check that fails or is not settled (N, back with Shift+N)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ledger</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not judged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Judge it all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not judged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The checks are made when you ask for them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The checks could not be made.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the journal and checking every counter…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No measured request. Checks appear as each request settles.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 requests reconciled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 check not possible</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 checks not possible</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> fails: </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> is not settled: </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> %1 more cells are open.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Withdrawn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> No claim can be exported from this run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show evidence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2: %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> 1 more cell is not green.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> %1 more cells are not green.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flagged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> No gate rests on it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 fails</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 fail</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ledger of which session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unexplained %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing fails and nothing is unsettled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder for the evidence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not exported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Evidence written to %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::RequestChart</name>
    <message>
        <source>Prompt tokens by source, per request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SIMULATED</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>request %1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>document %1, round %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted %1 computed, %2 host loaded, %3 GPU hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 computed, %2 host loaded, %3 GPU hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sources unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT %1 ms, predicted %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT %1 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prediction missed by %1 tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> · %1%2 ms against request %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>round %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prompt tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT, ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one column = %1 requests</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::RequestPanel</name>
    <message>
        <source>unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Times from just before the first request byte was written to the connected socket</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer as text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not measured: warm-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 GPU hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm-up request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Request %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>document %1 · round %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the counters settle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 output tokens so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for the first token, %1 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after the stream settles</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a request in the chart.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>planned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>complete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, settled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, not settled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, not settled: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not yet</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::RunController</name>
    <message>
        <source>An experiment is running. Stop it, or wait for its end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>The plan has %n fault(s). First: %1 %2</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>preparing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>judging the run</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::RunPage</name>
    <message>
        <source>Not opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a request in the chart.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>session %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, process %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, port %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This run has no end: the program that measured it was ended. What was measured is whole; resume repeats the open session.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Session %1 failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not resumed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finished. Journal %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first server starts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 requests reconciled so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Journal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Caution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured on the built-in emulator: no claim about a real engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause after this request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The present request ends, the next one waits (Ctrl+P)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cuts the present request and stops the server; the journal stays whole (Ctrl+.)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Goes on with this run in its journal: finished sessions stay, the open one is repeated whole on a fresh server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompt tokens by source, per request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow the newest request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keeps the newest request in view; looking back pauses it (F)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not exported</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Nothing has run. The plan has %n session(s).</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>stopping the server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> · paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> · %1 left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping the server; the journal is closed next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 session %2 of %3 (%4): %5</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::ServerPanel</name>
    <message>
        <source>Server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU cache in use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks held by running requests, from the engine&apos;s usage gauge. Blocks kept for reuse are not in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host tier written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks stored to the host since the server started: stored bytes by the bytes of one block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host to GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes by the engine&apos;s own transfer time of the newest load, 10^9 bytes per second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loaded this session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes moved from the host to the GPU since the server started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running / waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests in the engine now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scrape</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Readings of the server&apos;s counters so far in this session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not reported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 GB/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settled, %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>last of session %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::SessionStrip</name>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>session %1, %2, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, round %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 of %2 requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, attempt %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, conditioning: left out of statistics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>offload %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> · round %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> · attempt %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::SourceLegend</name>
    <message>
        <source>Legend: circle computed, square host loaded, diamond GPU hit</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::SplitChart</name>
    <message>
        <source>Where the difference went</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Withheld: the claim of this run is withdrawn.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Split by the control: a GPU hit takes %1 ms%2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not split: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off, revisit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on, revisit</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::StartPage</name>
    <message>
        <source>Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Does a host tier for the KV cache help you?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predict the cliff, measure where every prompt token came from, defend the decision.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the demonstration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure my server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan fresh vLLM servers with and without the tier, on this machine or over SSH.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a journal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An earlier run, with every number down to the raw bytes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent journals</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None yet. The demonstration makes the first one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1   (not there any more)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Emulated servers with and without the tier. No GPU, no network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other demonstrations:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>where the tier does not help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A 0.6B model in eager mode, with times as measured on an H200: loading is no faster than computing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the measured cliff</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A sweep of one to twelve documents, each with and without the tier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or drop a config.json, a plan, a trace, a journal, a result of another tool or a server log onto the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 emulated servers, %2 requests, under two minutes. No GPU, no network.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::StreamLine</name>
    <message>
        <source>first token %1 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>written 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first byte %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::StripArea</name>
    <message>
        <source>Close this message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
