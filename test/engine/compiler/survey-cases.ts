/**
 * Content with several faults each, and all its diagnostics: `file:line:column code`, and after ` < ` the diagnostic that caused it. The base is that of the cases of
 * the checks. `rules` and `decoders` are the files `custom.xml`.
 */
import type { SourceFile } from '../../../engine/source/source-file.js'

export interface SurveyCase {
  readonly name: string
  readonly decoders?: string
  readonly rules?: string
  readonly files?: readonly SourceFile[]
  readonly loads: boolean
  readonly told: readonly string[]
  /** Corrects the first fault: its consequences disappear, and all other diagnostics stay. */
  readonly mend?: readonly [wrong: string, right: string]
}

const rules = (filename: string, content: string): SourceFile => ({ filename, kind: 'rules', scope: 'custom', content })

export const SURVEY_CASES: readonly SurveyCase[] = [
  {
    name: 'a rule with an unknown element, a missing parent, the id of another rule and a field that is wrong',
    rules: `<group name="test,">
<rule id="100100" level="5"><if_sid>501</if_sid><match>a</match><description>One.</description></rule>
<rule id="100100" level="5">
  <if_sid>999999</if_sid>
  <mach>x</mach>
  <field name="srcip">a(</field>
  <description>Two.</description>
</rule>
</group>`,
    loads: true,
    told: ['rules:3:1 rule_duplicate_id', 'rules:4:3 rule_parent_missing', 'rules:5:3 rule_element_unknown', 'rules:6:10 rule_static_field_as_dynamic', 'rules:6:24 regex_invalid'],
  },
  {
    name: 'each attribute and each option of a rule',
    rules: `<group name="test,">
<rule id="100100" level="17" frequency="x" bogus="1" overwrite="maybe">
  <if_sid>501, 999999</if_sid>
  <url type="pcre2">a(b</url>
  <match>(</match>
  <regex>ok (\\d</regex>
  <time>99</time>
  <weekday>thurs</weekday>
  <srcip>10.0.0.</srcip>
  <decoded_as>nosuch</decoded_as>
  <list field="user" lookup="nope" chek="a">etc/lists/none</list>
  <options>what</options>
  <mitre><x>T1110</x><id></id></mitre>
  <descripton>Two.</descripton>
</rule>
</group>`,
    loads: false,
    told: [
      'rules:2:19 rule_level_invalid',
      'rules:2:30 rule_frequency_invalid',
      'rules:2:44 rule_attribute_unknown',
      'rules:2:54 rule_attribute_invalid',
      'rules:3:3 rule_parent_partly_missing',
      'rules:4:24 regex_invalid',
      'rules:6:13 regex_invalid',
      'rules:7:3 rule_time_invalid',
      'rules:8:3 rule_weekday_invalid',
      'rules:9:3 rule_ip_invalid',
      'rules:10:3 rule_decoded_as_unknown',
      'rules:11:3 rule_list_not_loaded',
      'rules:11:22 rule_list_lookup_invalid',
      'rules:11:36 rule_list_attribute_unknown',
      'rules:12:3 rule_options_invalid',
      'rules:13:10 mitre_option_invalid',
      'rules:13:22 mitre_id_empty',
      'rules:14:3 rule_element_unknown',
    ],
  },
  {
    name: 'what hangs under a rule that Wazuh drops',
    rules: `<group name="test,">
<rule id="100100" level="5"><if_sid>999999</if_sid><group>own,</group><description>Lost.</description></rule>
<rule id="100101" level="3"><if_sid>100100</if_sid><match>x</match><description>Child.</description></rule>
<rule id="100102" level="3"><if_sid>100101</if_sid><match>y</match><description>Child of the child.</description></rule>
<rule id="100103" level="3"><if_sid>100101, 501</if_sid><match>z</match><description>Under another one as well.</description></rule>
<rule id="100104" level="3"><if_group>own,</if_group><match>w</match><description>By group.</description></rule>
<rule id="100105" level="9" frequency="4" timeframe="9"><if_sid>501</if_sid><if_matched_sid>100101</if_matched_sid><description>Counts it.</description></rule>
<rule id="100106" level="9" frequency="4" timeframe="9"><if_sid>501</if_sid><if_matched_group>own</if_matched_group><description>Counts its group.</description></rule>
<rule id="100107" level="3" overwrite="yes"><if_sid>888888</if_sid><description>On its own.</description></rule>
</group>`,
    loads: true,
    told: [
      'rules:2:29 rule_parent_missing',
      'rules:3:29 rule_parent_dropped < rules:2:29 rule_parent_missing',
      'rules:4:29 rule_parent_dropped < rules:2:29 rule_parent_missing',
      'rules:5:29 rule_parent_partly_missing < rules:2:29 rule_parent_missing',
      'rules:6:29 rule_if_group_missing < rules:2:29 rule_parent_missing',
      'rules:7:77 rule_if_matched_sid_unwired < rules:2:29 rule_parent_missing',
      'rules:8:77 rule_if_matched_group_unwired < rules:2:29 rule_parent_missing',
      'rules:9:1 rule_overwrite_target_missing',
      'rules:9:45 rule_parent_missing',
    ],
    mend: ['999999', '502'],
  },
  {
    name: 'what hangs under a rule that makes Wazuh refuse everything',
    rules: `<group name="test,">
<rule id="100100" level="5"><if_sid>501</if_sid><mach>x</mach><group>own,</group><description>Wrong.</description></rule>
<rule id="100101" level="3"><if_sid>100100</if_sid><tiem>x</tiem><match>x</match><description>Child, wrong as well.</description></rule>
<rule id="100102" level="3"><if_group>own,</if_group><match>y</match><description>By group.</description></rule>
<rule id="100103" level="3"><if_sid>777777</if_sid><match>y</match><description>On its own.</description></rule>
</group>`,
    loads: false,
    told: [
      'rules:2:49 rule_element_unknown',
      'rules:3:29 rule_parent_dropped < rules:2:49 rule_element_unknown',
      'rules:3:52 rule_element_unknown',
      'rules:4:29 rule_if_group_missing < rules:2:49 rule_element_unknown',
      'rules:5:29 rule_parent_missing',
    ],
    mend: ['<mach>x</mach>', '<user>x</user>'],
  },
  {
    name: 'a template and a group that only faulty rules have',
    rules: `<group name="test,">
<rule id="4" level="0" noalert="1"><category>web-log</category><tiem>x</tiem><description>Template.</description></rule>
<rule id="100100" level="3"><category>web-log</category><match>x</match><description>Web.</description></rule>
<rule id="100103" level="3"><if_sid>501</if_sid><match>x</match><gruop>rare,</gruop><description>Misspelt group.</description></rule>
<rule id="100104" level="3"><if_group>rare</if_group><match>z</match><description>By the misspelt group.</description></rule>
<rule id="100105" level="3"><if_group>nowhere</if_group><match>z</match><description>By a group of nobody.</description></rule>
</group>`,
    loads: false,
    told: [
      'rules:2:7 rule_id_internal',
      'rules:2:64 rule_element_unknown',
      'rules:3:29 rule_category_unreachable < rules:2:64 rule_element_unknown',
      'rules:4:65 rule_element_unknown',
      'rules:5:29 rule_if_group_missing < rules:4:65 rule_element_unknown',
      'rules:6:29 rule_if_group_missing',
    ],
  },
  {
    name: 'two rules of one id, each with faults of its own',
    rules: `<group name="test,">
<rule id="100100" level="5"><if_sid>501</if_sid><time>x</time><description>First.</description></rule>
<rule id="100100" level="x"><if_sid>501</if_sid><weekday>x</weekday><description>Second.</description></rule>
<rule id="100101" level="5"><if_sid>888888</if_sid><match>a</match><description>Dropped.</description></rule>
<rule id="100101" level="5"><if_sid>501</if_sid><match>b</match><description>Loads instead.</description></rule>
<rule id="100102" level="5"><if_sid>100101</if_sid><match>c</match><description>Under the one that loads.</description></rule>
</group>`,
    loads: false,
    told: ['rules:2:49 rule_time_invalid', 'rules:3:1 rule_duplicate_id', 'rules:3:19 rule_level_invalid', 'rules:3:49 rule_weekday_invalid', 'rules:4:29 rule_parent_missing'],
  },
  {
    name: 'what seems to be missing stands there misspelt',
    decoders: `<decoder name="srv"><program_nam>^srv$</program_nam></decoder>
<decoder name="srv-a"><parnt>srv</parnt><regex offset="after_parent">a (\\d+) </regex><oder>id</oder></decoder>
<decoder name="srv-b"><parent>srv</parent><regx>b (\\d+) </regx><order>id</order></decoder>`,
    rules: `<group name="test,">
<rule idd="100100" level="12"><if_sid>501</if_sid><descripton>Misspelt.</descripton><mitr><id>T1110</id></mitr></rule>
<rule id="100101" levl="5" frequency="5"><if_matchd_sid>501</if_matchd_sid><same_srcip /><description>Misspelt.</description></rule>
<rule id="100102" level="3"><if_sid>100100</if_sid><match>x</match><description>Under the misspelt id.</description></rule>
</group>
<gruop name="other,">
<ruel id="100103" level="3"><if_sid>501</if_sid><timee>x</timee><description>In misspelt tags.</description></ruel>
</gruop>`,
    loads: false,
    told: [
      'decoders:1:1 decoder_unreachable',
      'decoders:1:21 decoder_element_unknown',
      'decoders:2:23 decoder_element_unknown',
      'decoders:2:86 decoder_element_unknown',
      'decoders:3:43 decoder_element_unknown',
      'rules:2:7 rule_attribute_unknown',
      'rules:2:51 rule_element_unknown',
      'rules:2:85 rule_element_unknown',
      'rules:3:19 rule_attribute_unknown',
      'rules:3:42 rule_element_unknown',
      'rules:4:29 rule_parent_dropped < rules:2:7 rule_attribute_unknown',
      'rules:6:1 rules_root_invalid',
      'rules:7:1 group_child_invalid',
      'rules:7:49 rule_element_unknown',
    ],
  },
  {
    name: 'decoders and rules in one run, and the files behind a faulty one',
    decoders: `<decoder name="srv"></decoder>
<decoder name="kid"><parent>srv</parent><prematch>a(</prematch><type>ids?</type><regex>x</regex></decoder>
<decoder name="kid"><parent>nosuch</parent><prematch>b</prematch><fts>name,,id</fts><plugin_decoder offset="x">None</plugin_decoder></decoder>
<decoder status="new" name="late" one="1"><prematch>late</prematch></decoder>
<decoder name="late-kid" status="a" two="2" three="3"><parent>late</parent><prematch>b</prematch></decoder>`,
    rules: `<group name="test,">
<rule id="100100" level="5"><decoded_as>srv</decoded_as><description>Of an empty decoder.</description></rule>
<rule id="100101" level="5"><decoded_as>late</decoded_as><description>Of one without name.</description></rule>
<rule id="100102" level="5"><decoded_as>nobody</decoded_as><description>Of none.</description></rule>
</group>`,
    files: [rules('zz.xml', '<group name="zz,">\n<rule id="100100" level="5"><if_sid>501</if_sid><match>x</match><description>Again.</description></rule>\n<tool />\n</group>')],
    loads: false,
    told: [
      'decoders:1:1 decoder_empty',
      'decoders:2:21 decoder_missing_parent < decoders:1:1 decoder_empty',
      'decoders:2:52 regex_invalid',
      'decoders:2:64 decoder_type_invalid',
      'decoders:2:81 decoder_regex_without_order',
      'decoders:3:21 decoder_missing_parent',
      'decoders:3:66 decoder_fts_field_invalid',
      'decoders:3:85 decoder_plugin_unknown',
      'decoders:3:101 decoder_plugin_offset_invalid',
      'decoders:4:1 decoder_name_missing',
      'decoders:5:37 decoder_attribute_invalid',
      'decoders:5:45 decoder_attribute_invalid',
      'decoders:5:55 decoder_missing_parent < decoders:4:1 decoder_name_missing',
      'rules:2:29 rule_decoded_as_unknown < decoders:1:1 decoder_empty',
      'rules:3:29 rule_decoded_as_unknown < decoders:4:1 decoder_name_missing',
      'rules:4:29 rule_decoded_as_unknown',
      'zz.xml:2:1 rule_duplicate_id',
      'zz.xml:3:1 group_child_invalid',
    ],
  },
  {
    name: 'sibling decoders with everything that is wrong with siblings',
    decoders: `<decoder name="srv"><program_name>^srv$</program_name></decoder>
<decoder name="kid"><parent>srv</parent><prematch>a</prematch></decoder>
<decoder name="kid"><parent>srv</parent><prematch>b</prematch><fts>name</fts></decoder>`,
    rules: '<group name="test,"><rule id="100100" level="5"><decoded_as>srv</decoded_as><description>Reads.</description></rule></group>',
    loads: false,
    told: ['decoders:3:1 decoder_sibling_duplicate', 'decoders:3:41 decoder_sibling_prematch', 'decoders:3:63 decoder_fts_without_regex', 'decoders:3:63 decoder_sibling_fts'],
  },
  {
    name: 'rules and options behind elements that are not closed, and tags that are not well-formed',
    rules: `<group name="test,">
<rule id="100100" level="5"><if_sid>501</if_sid><match>a
  <bogus>x</bogus><time>x</time><description>An option is not closed.</description></rule>
<rule id="100101" level="5"><if_sid>501</if_sid><mach>a</mach><description>Sound XML.</description></rule>
<rule id="100102" level="5"><if_sid>501</if_sid><match>a</match><description>The rule is not closed.</description>
<rule id="100103" level=5><if_sid>100100</if_sid><tiem>a</tiem><description>An attribute is not quoted.</description></rule>
<rule id="100104" level="5"><if_sid>100103</if_sid><field name=x>a</field><weekday>x</weekday><description>In an option.</description></rule>
<rule id="100105" level="5"><if_sid>501</if_sid><match>a</mach><weekday>x</weekday><description>Closed by another name.</description></rule>
</group>
<group name="other,">
<rule id="100106" level="5"><if_sid>777777</if_sid><match>a</match><description>In the next group.</description></rule>
</group>
</group>`,
    files: [rules('zz.xml', '<group name="zz,">\n<rule id="100200" level="3"><if_sid>100103</if_sid><time>x</time><description>In the next file.</description></rule>\n</group>')],
    loads: false,
    told: [
      'rules:3:19 rule_time_invalid',
      'rules:3:84 xml_unclosed_element',
      'rules:4:49 rule_element_unknown',
      'rules:6:1 xml_unclosed_element',
      'rules:6:19 xml_attribute_syntax',
      'rules:6:27 rule_parent_dropped < rules:3:84 xml_unclosed_element',
      'rules:6:50 rule_element_unknown',
      'rules:7:29 rule_parent_dropped < rules:6:19 xml_attribute_syntax',
      'rules:7:59 xml_attribute_syntax',
      'rules:7:75 rule_weekday_invalid',
      'rules:8:57 xml_unclosed_element',
      'rules:8:64 rule_weekday_invalid',
      'rules:11:29 rule_parent_missing',
      'rules:13:1 xml_unexpected_close',
      'zz.xml:2:29 rule_parent_dropped < rules:6:19 xml_attribute_syntax',
      'zz.xml:2:52 rule_time_invalid',
    ],
  },
  {
    name: 'groups that are not closed, and what a comment without an end hides',
    rules: `<?xml version="1.0"?>
<group name="one,">
<rule id="100100" level="5"><if_sid>501</if_sid><time>x</time><description>One.</description></rule>
<group name="two,">
<rule id="100101" level="5"><if_sid>999999</if_sid><description>Two.</description></rule>
<!-- <rule id="100102" level="5"><tiem>x</tiem></rule> -->
<rule id="100103" level="5"><if_group>three</if_group><match>x</match><description>Three.</description></rule>
</group>
<!-- from here on
<group name="three,"><rule id="100104" level="5"><tiem>x</tiem></rule></group>`,
    files: [
      rules('zz.xml', '<group name="zz,">\n<rule id="100200" level="3"><if_sid>100104</if_sid><match>x</match><description>Of a hidden rule.</description></rule>\n</group>'),
    ],
    loads: false,
    told: [
      'rules:1:1 xml_prolog',
      'rules:3:49 rule_time_invalid',
      'rules:4:1 xml_unclosed_element',
      'rules:5:29 rule_parent_missing',
      'rules:7:29 rule_if_group_missing < rules:10:79 xml_comment_unclosed',
      'rules:10:79 xml_comment_unclosed',
      'zz.xml:2:29 rule_parent_dropped < rules:10:79 xml_comment_unclosed',
    ],
  },
  {
    name: 'variables that are not defined',
    rules: `<var name="LEVEL">5</var>
<group name="test,">
<rule id="100100" level="$LEVEL"><if_sid>$PARENT</if_sid><match>$TEXT</match><time>x</time><description>Uses what is not there.</description></rule>
<rule id="100101" level="$LEVL"><if_sid>501</if_sid><weekday>x</weekday><description>A level that is not there.</description></rule>
<rule id="100102" level="$LEVEL"><if_sid>100101</if_sid><match>x</match><description>Below it.</description></rule>
</group>`,
    loads: false,
    told: [
      'rules:3:42 xml_variable_undefined',
      'rules:3:65 xml_variable_undefined',
      'rules:3:78 rule_time_invalid',
      'rules:4:26 xml_variable_undefined',
      'rules:4:53 rule_weekday_invalid',
      'rules:5:34 rule_parent_dropped < rules:4:26 xml_variable_undefined',
    ],
  },
  {
    name: 'decoders behind one that is not closed, and what reads them',
    decoders: `<decoder name="one"><program_name>^one$</program_name>
<decoder name="two" <prematch>^two </prematch></decoder>
<decoder name="three"><parent>two</parent><prematch>a(</prematch><order>id</order></decoder>
<decoder name="four"><parent>one</parent><prematch>a</prematch><zzz>x</zzz></decoder>`,
    rules: `<group name="test,">
<rule id="100100" level="5"><decoded_as>one</decoded_as><description>One.</description></rule>
<rule id="100101" level="5"><decoded_as>two</decoded_as><tiem>x</tiem><description>Two.</description></rule>
</group>`,
    loads: false,
    told: [
      'decoders:2:1 xml_unclosed_element',
      'decoders:2:21 xml_attribute_syntax',
      'decoders:3:23 decoder_missing_parent < decoders:2:21 xml_attribute_syntax',
      'decoders:3:54 regex_invalid',
      'decoders:3:66 decoder_order_without_regex',
      'decoders:4:22 decoder_missing_parent < decoders:2:1 xml_unclosed_element',
      'decoders:4:64 decoder_element_unknown',
      'rules:2:29 rule_decoded_as_unknown < decoders:2:1 xml_unclosed_element',
      'rules:3:29 rule_decoded_as_unknown < decoders:2:21 xml_attribute_syntax',
      'rules:3:57 rule_element_unknown',
    ],
  },
  {
    name: 'texts that are too long, and what their absence entails',
    decoders: `<decoder name="srv"><program_name>^srv$</program_name></decoder>
<decoder name="kid"><parent>srv</parent><regex>${'a'.repeat(1024)}(\\d)</regex><order>id</order></decoder>`,
    rules: `<group name="test,">
<rule id="100100" level="5"><decoded_as>srv</decoded_as><time>x</time><description>${'a'.repeat(2048)}</description></rule>
</group>`,
    loads: false,
    told: [
      'decoders:2:41 decoder_text_too_long',
      `decoders:2:${41 + 1024 + 19} decoder_order_without_regex < decoders:2:41 decoder_text_too_long`,
      'rules:2:57 rule_time_invalid',
      'rules:2:71 rule_description_too_long',
    ],
  },
  {
    name: 'lists and decoders that only faulty rules use',
    decoders: '<decoder name="srv"><program_name>^srv$</program_name></decoder>',
    files: [
      { filename: 'etc/lists/users', kind: 'lists', scope: 'custom', content: 'admin:' },
      { filename: 'etc/lists/nobody', kind: 'lists', scope: 'custom', content: 'admin:' },
    ],
    rules: `<group name="test,">
<rule id="100100" level="5"><if_sid>501</if_sid><list field="user" lookup="x">etc/lists/users</list><description>One.</description></rule>
<rule id="100101" level="5"><decode_as>srv</decode_as><description>Two.</description></rule>
<rule id="100102" level="3" noalert="1"><if_sid>501</if_sid><match>a</match><description>Three.</description></rule>
<rule id="100103" level="5"><if_sid>100102</if_sid><match>b</match><time>x</time><description>Four.</description></rule>
</group>`,
    loads: false,
    told: ['etc/lists/nobody list_unused', 'rules:2:68 rule_list_lookup_invalid', 'rules:3:29 rule_element_unknown', 'rules:5:68 rule_time_invalid'],
  },
  {
    name: 'advice about rules that do not load',
    rules: `<group name="test,">
<rule id="100100" level="12"><if_sid>501</if_sid><bogus>x</bogus><regex type="pcre2">.*error.*</regex><field name="origin.hots">a</field><mitre><id>1110</id></mitre><description>One.</description></rule>
<rule id="100101" level="5"><if_sid>999999</if_sid><match>error|</match><description>Two.</description></rule>
<rule id="100102" level="4"><if_sid>501</if_sid><bogus>x</bogus><match>a</match><description>Takes nothing from the next one.</description></rule>
<rule id="100103" level="3"><if_sid>501</if_sid><match>a</match><hostname>h</hostname><description>Behind it.</description></rule>
</group>`,
    loads: false,
    told: [
      'rules:2:50 rule_element_unknown',
      'rules:2:86 regex_slow',
      'rules:2:103 rule_field_never_extracted',
      'rules:2:145 mitre_id_invalid',
      'rules:3:29 rule_parent_missing',
      'rules:3:52 rule_condition_always_true',
      'rules:4:49 rule_element_unknown',
    ],
  },
]
