<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
<context>
    <name>QObject</name>
    <message numerus="yes">
        <source>%n gate(s) could be judged and all pass.</source>
        <translation>
            <numerusform>%n gate could be judged and passes.</numerusform>
            <numerusform>%n gates could be judged and all pass.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::PlanPage</name>
    <message numerus="yes">
        <source>The plan has %n fault(s), each beside its field.</source>
        <translation>
            <numerusform>The plan has %n fault, beside its field.</numerusform>
            <numerusform>The plan has %n faults, each beside its field.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n preflight check(s) failed.</source>
        <translation>
            <numerusform>%n preflight check failed.</numerusform>
            <numerusform>%n preflight checks failed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n fault(s)</source>
        <translation>
            <numerusform>%n fault</numerusform>
            <numerusform>%n faults</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Plan has %n fault(s)</source>
        <translation>
            <numerusform>Plan has %n fault</numerusform>
            <numerusform>Plan has %n faults</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::RunController</name>
    <message numerus="yes">
        <source>The plan has %n fault(s). First: %1 %2</source>
        <translation>
            <numerusform>The plan has %n fault: %1 %2</numerusform>
            <numerusform>The plan has %n faults. First: %1 %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvcliff::ui::RunPage</name>
    <message numerus="yes">
        <source>Nothing has run. The plan has %n session(s).</source>
        <translation>
            <numerusform>Nothing has run. The plan has %n session.</numerusform>
            <numerusform>Nothing has run. The plan has %n sessions.</numerusform>
        </translation>
    </message>
</context>
</TS>
