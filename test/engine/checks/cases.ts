/**
 * For each code of the checks: the least content that gives it, at which line, and content beside it that doesn't. Rules stand in
 * `<group name="test,">` in a custom file on line 1, decoders in a custom file of their own; below them lie the templates of `base`.
 */
import type { DiagnosticCode } from '../../../engine/diagnostics/codes.js'
import type { SourceFile } from '../../../engine/source/source-file.js'

export interface CheckCase {
  readonly code: DiagnosticCode
  readonly wrong: Content
  readonly right: Content
  /** Line of the finding in its file; null = the file as a whole. */
  readonly line?: number | null
}

/** Text: the body of the rules file's group. */
export type Content = string | { readonly rules?: string; readonly decoders?: string; readonly files?: readonly SourceFile[]; readonly rawRules?: string }

/** Templates, a JSON decoder, an application with two fields, one with a child of its own name, and rules for them. */
export const BASE: readonly SourceFile[] = [
  {
    filename: '0001-base.xml',
    kind: 'decoders',
    scope: 'default',
    content: `<decoder name="json"><prematch>^{\\s*"</prematch><plugin_decoder>JSON_Decoder</plugin_decoder></decoder>
<decoder name="app"><program_name>^app$</program_name></decoder>
<decoder name="app-child"><parent>app</parent><prematch>^login </prematch><regex offset="after_prematch">^(\\S+) from (\\S+)$</regex><order>dstuser, origin.host</order></decoder>
<decoder name="wall"><program_name>^wall$</program_name><type>firewall</type></decoder>`,
  },
  {
    filename: '0001-base.xml',
    kind: 'rules',
    scope: 'default',
    content: `<group name="base,">
<rule id="1" level="0" noalert="1"><category>syslog</category><description>Syslog.</description></rule>
<rule id="2" level="0" noalert="1"><category>firewall</category><description>Firewall.</description></rule>
<rule id="500" level="0"><decoded_as>app</decoded_as><description>App.</description></rule>
<rule id="501" level="5"><if_sid>500</if_sid><match>^login</match><description>Login.</description><group>logins,</group></rule>
<rule id="502" level="3"><if_sid>501</if_sid><match>root</match><description>Root.</description></rule>
<rule id="503" level="0"><decoded_as>json</decoded_as><description>JSON.</description></rule>
<rule id="505" level="3"><category>firewall</category><decoded_as>wall</decoded_as><match>drop</match><description>Wall.</description></rule>
<rule id="504" level="4"><if_sid>500</if_sid><match>^quit</match><description>Quit.</description><group>web_logouts,</group></rule>
<rule id="506" level="4"><if_sid>501</if_sid><list field="origin.host">etc/lists/hosts</list><description>Login on a known host.</description></rule>
</group>`,
  },
  { filename: 'etc/lists/hosts', kind: 'lists', scope: 'default', content: 'web1:' },
]

const rule = (inside: string, attributes = 'id="100100" level="5"'): string => `<rule ${attributes}>${inside}<description>Test rule.</description></rule>`
const child = (inside: string, attributes?: string): string => rule(`<if_sid>501</if_sid>${inside}`, attributes)
const second = (inside: string): string => child(inside, 'id="100101" level="3"')
const list = (content: string, path = 'etc/lists/users'): SourceFile => ({ filename: path, kind: 'lists', scope: 'custom', content })
const withList = (inside: string, content = 'admin:yes'): Content => ({ rules: child(inside), files: [list(content)] })
/** Lists of these names beside the rule that uses `etc/lists/users`. */
const listsOf = (...paths: string[]): Content => ({ rules: child('<list field="user">etc/lists/users</list>'), files: paths.map((path) => list('admin:yes', path)) })
const counting = (inside: string, attributes = 'id="100100" level="10" frequency="4" timeframe="60"'): string => rule(inside, attributes)
const decoder = (name: string, inside: string): string => `<decoder name="${name}">${inside}</decoder>`
const SRV = '<program_name>^srv$</program_name>'
const root = (name = 'srv'): string => decoder(name, SRV)
const reads = (name = 'srv'): string => rule(`<decoded_as>${name}</decoded_as>`)
/** A decoder with a rule that reads it. */
const srv = (...more: string[]): Content => ({ decoders: [root(), ...more].join('\n'), rules: reads() })
const kid = (inside: string, name = 'srv-a'): string => decoder(name, `<parent>srv</parent>${inside}`)
const doubling = (count: number): string =>
  Array.from({ length: count }, (_, index) =>
    rule('<if_group>test</if_group>', `id="${100100 + index}" level="5"`).replace('<if_group>', index === 0 ? '<if_sid>501</if_sid><if_group>' : '<if_group>'),
  ).join('')
const TWO = '<regex>(\\S+) (\\S+)</regex>'

export const CASES: readonly CheckCase[] = [
  // files and lists
  {
    code: 'file_duplicate_name',
    line: null,
    wrong: { files: [{ filename: '0001-base.xml', kind: 'rules', scope: 'custom', content: `<group name="x,">${child('<match>a</match>')}</group>` }] },
    right: child('<match>a</match>'),
  },
  {
    code: 'file_name_load_order',
    line: null,
    wrong: {
      rules: child('<match>a</match>', 'id="100100" level="5"').replace('501', '100200'),
      files: [{ filename: 'zz.xml', kind: 'rules', scope: 'custom', content: `<group name="x,">${child('<match>b</match>', 'id="100200" level="5"')}</group>` }],
    },
    right: {
      rules: child('<match>a</match>'),
      files: [{ filename: 'zz.xml', kind: 'rules', scope: 'custom', content: `<group name="x,">${child('<match>b</match>', 'id="100200" level="5"')}</group>` }],
    },
  },
  { code: 'file_encoding', line: 2, wrong: child('\n<match>a\ufffdb</match>'), right: child('\n<match>a\u00e9b</match>') },
  // What stands in a comment is compared with nothing; the first that is not in one is told.
  { code: 'file_encoding', line: 3, wrong: child('\n<!-- a\ufffdb -->\n<match>a\ufffdb</match>'), right: child('\n<!-- a\ufffdb --><match>ab</match>') },
  { code: 'file_kind_mismatch', line: null, wrong: { rawRules: decoder('srv', SRV) }, right: child('<match>a</match>') },
  {
    code: 'file_too_large',
    line: null,
    wrong: { rawRules: `<!--${' '.repeat(2_000_001)}--><group name="x,">${child('<match>a</match>')}</group>` },
    right: child('<match>a</match>'),
  },
  { code: 'xml_empty_file', line: null, wrong: { rawRules: '' }, right: child('<match>a</match>') },
  { code: 'list_unused', line: null, wrong: { files: [list('admin:yes')] }, right: withList('<list field="user">etc/lists/users</list>') },
  // A list of the instance that a rule of the base reads is used.
  { code: 'list_unused', line: null, wrong: { files: [list('web1:', 'etc/lists/host')] }, right: { files: [list('web2:', 'etc/lists/hosts')] } },
  { code: 'list_name_folder', line: null, wrong: listsOf('users'), right: listsOf('etc/lists/users') },
  { code: 'list_name_style', line: null, wrong: listsOf('etc/lists/users.cdb'), right: listsOf('etc/lists/users') },
  { code: 'list_name_style', line: null, wrong: listsOf('/etc/lists/users'), right: listsOf('lists/users') },
  { code: 'list_name_style', line: null, wrong: listsOf('etc\\lists\\users'), right: listsOf('etc/lists/amazon/users') },
  { code: 'list_name_style', line: null, wrong: listsOf('../../etc/passwd'), right: listsOf('etc/lists/..users') },
  { code: 'list_duplicate_name', line: null, wrong: listsOf('etc/lists/users', 'etc/lists/users'), right: listsOf('etc/lists/users', 'etc/lists/others') },
  { code: 'list_duplicate_name', line: null, wrong: listsOf('etc/lists/users', 'etc/lists/users.cdb'), right: listsOf('etc/lists/users', 'lists/users') },
  { code: 'list_replaces', line: null, wrong: listsOf('etc/lists/hosts'), right: listsOf('etc/lists/users') },
  { code: 'list_empty', line: null, wrong: withList('<list field="user">etc/lists/users</list>', ''), right: withList('<list field="user">etc/lists/users</list>', ':') },
  {
    code: 'list_empty',
    line: null,
    wrong: withList('<list field="user">etc/lists/users</list>', '# nobody yet\n'),
    right: withList('<list field="user">etc/lists/users</list>', '\n\nadmin:'),
  },
  {
    code: 'list_line_invalid',
    line: 2,
    wrong: withList('<list field="user">etc/lists/users</list>', 'admin:\nroot'),
    right: withList('<list field="user">etc/lists/users</list>', 'admin:\n\nroot:'),
  },
  {
    code: 'list_key_duplicate',
    line: 2,
    wrong: withList('<list field="user">etc/lists/users</list>', 'admin:1\nadmin:2'),
    right: withList('<list field="user">etc/lists/users</list>', 'admin:1\nroot:2'),
  },
  {
    code: 'list_key_whitespace',
    line: 1,
    wrong: withList('<list field="user">etc/lists/users</list>', 'admin :1'),
    right: withList('<list field="user">etc/lists/users</list>', 'admin:1 '),
  },
  {
    code: 'list_cidr_key',
    line: 1,
    wrong: withList('<list field="user">etc/lists/users</list>', '10.0.0.0/8:in'),
    right: withList('<list field="user">etc/lists/users</list>', '10.:in'),
  },
  // XML
  { code: 'xml_bom', wrong: { rawRules: `\ufeff<group name="x,">${child('<match>a</match>')}</group>` }, right: child('<match>a</match>') },
  { code: 'xml_control_character', line: 2, wrong: child('\n<match>a\u0007b</match>'), right: child('\n<match>a\tb</match>') },
  { code: 'xml_non_portable', line: 2, wrong: child('\n<match>a & b</match>'), right: child('\n<match>a and b</match>') },
  { code: 'xml_cdata', line: 2, wrong: child('\n<match>a</match><![CDATA[x]]-->'), right: child('\n<match>a</match><!-- [CDATA[ -->') },
  { code: 'xml_entity_literal', line: 2, wrong: child('\n<match>&lt;script</match>'), right: child('\n<match>\\<script</match><!-- &lt; -->') },
  { code: 'xml_mixed_content', line: 2, wrong: child('\nstray<match>a</match>'), right: child('\n<!-- stray --><match>a</match>') },
  {
    code: 'xml_text_outside',
    line: 2,
    wrong: { rawRules: `<!-- a -->\nstray --><group name="x,">${child('<match>a</match>')}</group>` },
    right: { rawRules: `<!-- a -->\n<group name="x,">${child('<match>a</match>')}</group>` },
  },
  { code: 'xml_prolog', line: 1, wrong: { rawRules: `<?xml version="1.0"?><group name="x,">${child('<match>a</match>')}</group>` }, right: child('<match>a</match>') },
  {
    code: 'xml_variable_duplicate',
    line: 2,
    wrong: { rawRules: `<var name="V1">a</var>\n<var name="v1">b</var><group name="x,">${child('<match>$V1</match>')}</group>` },
    right: { rawRules: `<var name="V1">a</var>\n<var name="V2">b</var><group name="x,">${child('<match>$V1 $V2</match>')}</group>` },
  },
  {
    code: 'xml_variable_short_text',
    line: 2,
    wrong: { rawRules: `<var name="V">a</var><group name="x,">\n${child('<match>$V</match>')}</group>` },
    right: { rawRules: `<var name="VV">a</var><group name="x,">\n${child('<match>$VV</match>')}</group>` },
  },
  {
    code: 'xml_variable_hazard',
    line: 1,
    wrong: {
      rawRules: `<var name="WHAT">a</var><group name="x,"><rule id="100100" level="5"><if_sid>501</if_sid><match>a</match><description>User $(dstuser) $WHAT x</description></rule></group>`,
    },
    right: {
      rawRules: `<var name="WHAT">a</var><group name="x,"><rule id="100100" level="5"><if_sid>501</if_sid><match>a</match><description>$WHAT $(dstuser) x</description></rule></group>`,
    },
  },
  // attributes
  { code: 'rule_id_reserved_range', wrong: child('<match>a</match>', 'id="600" level="5"'), right: child('<match>a</match>', 'id="501" level="5" overwrite="yes"') },
  { code: 'rule_id_internal', wrong: child('<match>a</match>', 'id="12" level="5"'), right: child('<match>a</match>') },
  { code: 'rule_level_unusual', wrong: child('<match>a</match>', 'id="100100" level="16"'), right: child('<match>a</match>', 'id="100100" level="15"') },
  { code: 'rule_accuracy_used', wrong: child('<match>a</match>', 'id="100100" level="5" accuracy="0"'), right: child('<match>a</match>') },
  { code: 'rule_maxsize_meaning', wrong: child('', 'id="100100" level="5" maxsize="900"'), right: child('<match>a</match>') },
  // options
  { code: 'rule_repeat_glued', line: 3, wrong: child('\n<match>error</match>\n<match>failed</match>'), right: child('\n<match>error|</match>\n<match>failed</match>') },
  {
    code: 'rule_negate_lost_on_repeat',
    line: 2,
    wrong: child('\n<match negate="yes">error|</match>\n<match>failed</match>'),
    right: child('\n<match negate="yes">error|</match>\n<match negate="yes">failed</match>'),
  },
  { code: 'rule_double_negation', line: 2, wrong: child('\n<match negate="yes">!error</match>'), right: child('\n<match>!error</match>') },
  { code: 'rule_text_edge_whitespace', line: 2, wrong: child('\n<match>\nFailed\n</match>'), right: child('\n<match> Failed </match>') },
  {
    code: 'rule_action_exact',
    line: 2,
    wrong: { decoders: decoder('srv', `${SRV}<regex>^(\\w+) </regex><order>action</order>`), rules: rule('<decoded_as>srv</decoded_as>\n<action>deny|drop</action>') },
    right: {
      decoders: decoder('srv', `${SRV}<regex>^(\\w+) </regex><order>action</order>`),
      rules: rule('<decoded_as>srv</decoded_as>\n<action type="osmatch">deny|drop</action>'),
    },
  },
  {
    code: 'rule_option_order',
    line: 2,
    wrong: child('<match>a</match><options>alert_by_email</options><options>no_counter</options>\n<options>no_email_alert</options>'),
    right: child('<match>a</match><options>alert_by_email</options><options>no_email_alert</options>\n<options>no_counter</options>'),
  },
  { code: 'rule_time_minutes', line: 2, wrong: child('\n<time>08:00-17:75</time>'), right: child('\n<time>08:00-17:45</time>') },
  { code: 'rule_time_incomplete', line: 2, wrong: child('\n<time>19:00 -</time>'), right: child('\n<time>19:00 - 23:59</time>') },
  { code: 'rule_time_incomplete', line: 2, wrong: child('\n<time>06:5 - 7:00</time>'), right: child('\n<time>06:50 - 7:00</time>') },
  { code: 'rule_ip_all_ipv4', line: 2, wrong: child('\n<srcip>0.0.0.0/0</srcip>'), right: child('\n<srcip>any</srcip>') },
  { code: 'rule_ip_all_ipv4', line: 2, wrong: child('\n<dstip>10.0.0.0/0.0.0.0</dstip>'), right: child('\n<dstip>0.0.0.0/1</dstip>') },
  { code: 'rule_number_wrapped', wrong: child('<match>a</match>', 'id="100100" level="4294967301"'), right: child('<match>a</match>', 'id="100100" level="5"') },
  {
    code: 'rule_number_wrapped',
    wrong: counting('<if_matched_sid>501</if_matched_sid>', 'id="100100" level="5" frequency="4294967300" timeframe="60"'),
    right: counting('<if_matched_sid>501</if_matched_sid>'),
  },
  { code: 'rule_number_wrapped', line: 2, wrong: rule('\n<if_level>4294967301</if_level>'), right: rule('\n<if_level>5</if_level>') },
  { code: 'rule_ip_cross_family', line: 2, wrong: child('\n<srcip>::1</srcip>'), right: child('\n<srcip>2001:db8::/32</srcip>') },
  {
    code: 'rule_list_more_than_two',
    line: 2,
    wrong: withList('\n<list field="dstport">etc/lists/users</list><list field="url">etc/lists/users</list><list field="id">etc/lists/users</list>'),
    right: withList('<list field="dstport">etc/lists/users</list><list field="url">etc/lists/users</list>'),
  },
  {
    code: 'rule_list_inverted_lookup',
    line: 2,
    wrong: withList('\n<list field="user" lookup="address_match_key_value" check_value="a">etc/lists/users</list>'),
    right: withList('\n<list field="user" lookup="address_match_key">etc/lists/users</list>'),
  },
  {
    code: 'rule_list_value_without_check',
    line: 2,
    wrong: withList('\n<list field="user" lookup="match_key_value">etc/lists/users</list>'),
    right: withList('\n<list field="user" lookup="match_key_value" check_value="yes">etc/lists/users</list>'),
  },
  {
    code: 'rule_list_field_unresolvable',
    line: 2,
    wrong: withList('\n<list field="dstuser">etc/lists/users</list>'),
    right: withList('\n<list field="origin.host">etc/lists/users</list>'),
  },
  { code: 'rule_list_user_order', line: 2, wrong: withList('\n<list field="user">etc/lists/users</list>'), right: withList('\n<list field="origin.host">etc/lists/users</list>') },
  { code: 'rule_if_fts_without_fts', line: 2, wrong: child('\n<if_fts />'), right: rule('<if_sid>503</if_sid><match>a</match>\n') },
  {
    code: 'rule_check_diff_disables_search',
    line: 2,
    wrong: counting('<if_matched_sid>501</if_matched_sid>\n<check_diff />'),
    right: counting('<if_matched_sid>501</if_matched_sid>'),
  },
  {
    code: 'rule_same_different_conflict',
    line: 2,
    wrong: counting('<if_matched_sid>501</if_matched_sid>\n<same_user /><different_user />'),
    right: counting('<if_matched_sid>501</if_matched_sid><same_user /><different_field>origin.host</different_field>'),
  },
  {
    code: 'rule_same_field_static',
    line: 2,
    wrong: counting('<if_matched_sid>501</if_matched_sid>\n<same_field>dstuser</same_field>'),
    right: counting('<if_matched_sid>501</if_matched_sid>\n<same_field>origin.host</same_field>'),
  },
  // texts
  {
    code: 'rule_description_empty',
    line: 2,
    wrong: '<rule id="100100" level="5"><if_sid>501</if_sid><match>a</match>\n<description></description></rule>',
    right: child('<match>a</match>'),
  },
  {
    code: 'rule_description_too_long',
    wrong: `<rule id="100100" level="5"><if_sid>501</if_sid><match>a</match><description>${'ab '.repeat(700)}</description></rule>`,
    right: child('<match>a</match>'),
  },
  {
    code: 'rule_description_truncated',
    wrong: `<rule id="100100" level="5"><if_sid>501</if_sid><match>a</match><description>${'ab '.repeat(400)}</description></rule>`,
    right: child('<match>a</match>'),
  },
  {
    code: 'rule_description_style',
    wrong: `<rule id="100100" level="5"><if_sid>501</if_sid><match>a</match><description>${'ab '.repeat(90)}</description></rule>`,
    right: child('<match>a</match>'),
  },
  {
    code: 'rule_description_repeated',
    line: 2,
    wrong: '<rule id="100100" level="5"><if_sid>501</if_sid><match>a</match><description>Login</description>\n<description>failed</description></rule>',
    right: '<rule id="100100" level="5"><if_sid>501</if_sid><match>a</match><description>Login </description>\n<description>failed</description></rule>',
  },
  {
    code: 'rule_description_unknown_field',
    line: 2,
    wrong: '<rule id="100100" level="5"><if_sid>501</if_sid><match>a</match>\n<description>By $(user)</description></rule>',
    right: '<rule id="100100" level="5"><if_sid>501</if_sid><match>a</match>\n<description>By $(dstuser) on $(origin.host), $(hostname)</description></rule>',
  },
  {
    code: 'rule_group_merged',
    line: 2,
    wrong: { rawRules: `<group name="local">${child('<match>a</match>\n<group>sshd,</group>')}</group>` },
    right: { rawRules: `<group name="local,">${child('<match>a</match>\n<group>sshd</group>')}</group>` },
  },
  {
    code: 'rule_group_blank',
    line: 2,
    wrong: child('<match>a</match>\n<group>sshd, pci_dss_10.2.4,</group>'),
    right: child('<match>a</match>\n<group>sshd,pci_dss_10.2.4,</group>'),
  },
  { code: 'rule_group_missing', wrong: { rawRules: `<group name=",">${child('<match>a</match>')}</group>` }, right: child('<match>a</match>') },
  {
    code: 'rule_compliance_tag_invalid',
    line: 2,
    wrong: child('<match>a</match>\n<group>tsc_cc6.1,</group>'),
    right: child('<match>a</match>\n<group>tsc_CC6.1,pci_dss_10.2.4,gdpr_IV_35.7.d,hipaa_164.312.b,nist_800_53_AU.14,gpg13_7.1,</group>'),
  },
  {
    code: 'group_name_style',
    wrong: { rawRules: `<group name="local, sshd,">${child('<match>a</match>')}</group>` },
    right: { rawRules: `<group name="local,sshd">${child('<match>a</match>')}</group>` },
  },
  // parents
  { code: 'rule_several_parent_kinds', line: 2, wrong: child('<match>a</match>\n<if_group>logins</if_group>'), right: child('<match>a</match>') },
  {
    code: 'rule_if_sid_repeated_tag',
    line: 2,
    wrong: rule('<if_sid>501</if_sid><match>a</match><if_group>log</if_group>\n<if_group>ins</if_group>'),
    right: rule('<if_sid>501,</if_sid>\n<if_sid>502</if_sid><match>a</match>'),
  },
  { code: 'rule_if_sid_duplicate_parent', wrong: rule('<if_sid>501, 501</if_sid><match>a</match>'), right: rule('<if_sid>501, 504</if_sid><match>a</match>') },
  { code: 'rule_category_ignored', line: 2, wrong: child('<match>a</match>\n<category>syslog</category>'), right: rule('<match>a</match><category>syslog</category>') },
  { code: 'rule_if_level_matches_everything', wrong: rule('<if_level>5</if_level><match>a</match>'), right: child('<match>a</match>') },
  { code: 'rule_if_group_accidental_substring', wrong: rule('<if_group>logout</if_group><match>a</match>'), right: rule('<if_group>logins</if_group><match>a</match>') },
  { code: 'rule_decoded_as_child_decoder', wrong: rule('<decoded_as>app-child</decoded_as>'), right: rule('<decoded_as>app</decoded_as><match>x</match>') },
  { code: 'rule_category_decoder_mismatch', wrong: rule('<decoded_as>wall</decoded_as>'), right: rule('<category>firewall</category><decoded_as>wall</decoded_as>') },
  {
    code: 'rule_parent_cycle',
    wrong: child('<match>a</match>').replace('501', '100101') + second('<match>b</match>').replace('501', '100100'),
    right: child('<match>a</match>') + second('<match>b</match>').replace('501', '100100'),
  },
  {
    // Each stands below all before it, and so doubles the tree.
    code: 'rule_too_many_placements',
    wrong: doubling(40),
    right: doubling(10),
  },
  // overwrites
  {
    code: 'rule_overwrite_drops_option',
    wrong: rule('<program_name>x</program_name>', 'id="501" level="5" overwrite="yes"'),
    right: rule('<match>x</match>', 'id="501" level="5" overwrite="yes"'),
  },
  {
    code: 'rule_overwrite_level_order',
    wrong: rule('<match>x</match>', 'id="504" level="9" overwrite="yes"'),
    right: rule('<match>x</match>', 'id="504" level="5" overwrite="yes"'),
  },
  { code: 'rule_overwrite_below_ten', wrong: rule('<category>syslog</category>', 'id="1" level="0" noalert="1" overwrite="yes"'), right: child('<match>a</match>') },
  {
    code: 'rule_overwrite_search_kind',
    wrong: counting('<match>x</match><if_matched_sid>502</if_matched_sid>', 'id="501" level="5" overwrite="yes" frequency="4" timeframe="9"'),
    right: rule('<match>x</match>', 'id="501" level="5" overwrite="yes"'),
  },
  // whole tree
  { code: 'rule_no_condition', wrong: rule(''), right: rule('<decoded_as>json</decoded_as>') },
  {
    code: 'rule_container_without_children',
    wrong: child('<match>a</match>', 'id="100100" level="5" noalert="1"'),
    right: child('<match>a</match>', 'id="100100" level="5" noalert="1"') + second('<match>b</match>').replace('501', '100100'),
  },
  {
    code: 'rule_level_zero_leaf',
    wrong: rule('<if_sid>503</if_sid><match>a</match>', 'id="100100" level="0"'),
    right: rule('<if_sid>501</if_sid><match>a</match>', 'id="100100" level="0"'),
  },
  { code: 'rule_orphan', wrong: rule('<match>a</match>'), right: rule('<program_name>a</program_name>') },
  { code: 'rule_unreachable', wrong: child('<decoded_as>json</decoded_as>'), right: child('<decoded_as>app</decoded_as>') },
  { code: 'rule_condition_redundant', line: 2, wrong: child('\n<match>^login</match><hostname>a</hostname>'), right: child('\n<match>^logins</match>') },
  { code: 'rule_condition_always_true', line: 2, wrong: child('\n<match>error|</match>'), right: child('\n<match>error</match>') },
  {
    code: 'rule_overlapping_level',
    line: 2,
    wrong: `${child('<match>a</match>')}\n${second('<match>a</match><hostname>h</hostname>')}`,
    right: `${child('<match>a</match>', 'id="100100" level="3"')}\n${child('<match>a</match><hostname>h</hostname>', 'id="100101" level="5"')}`,
  },
  {
    code: 'rule_duplicate_logic',
    line: 2,
    wrong: `${child('<check_diff />')}\n${second('<check_diff />')}`,
    right: `${child('<check_diff />')}\n${second('<check_diff /><match>b</match>')}`,
  },
  { code: 'rule_field_never_extracted', line: 2, wrong: child('\n<field name="origin.hots">a</field>'), right: child('\n<field name="origin.host">a</field>') },
  {
    code: 'rule_same_field_never_extracted',
    line: 2,
    wrong: counting('<if_matched_sid>501</if_matched_sid>\n<same_srcip />'),
    right: counting('<if_matched_sid>501</if_matched_sid>\n<same_user />'),
  },
  // counting
  { code: 'rule_frequency_without_context', wrong: child('<match>a</match>', 'id="100100" level="5" frequency="2"'), right: counting('<if_matched_sid>501</if_matched_sid>') },
  {
    code: 'rule_frequency_default',
    wrong: counting('<if_matched_sid>501</if_matched_sid>', 'id="100100" level="9" timeframe="60"'),
    right: counting('<if_matched_sid>501</if_matched_sid>'),
  },
  {
    code: 'rule_frequency_without_timeframe',
    wrong: counting('<if_matched_sid>501</if_matched_sid>', 'id="100100" level="9" frequency="5"'),
    right: counting('<if_matched_sid>501</if_matched_sid>'),
  },
  { code: 'rule_timeframe_without_frequency', wrong: child('<match>a</match>', 'id="100100" level="9" timeframe="60"'), right: counting('<if_matched_sid>501</if_matched_sid>') },
  {
    code: 'rule_if_matched_several',
    line: 2,
    wrong: counting('<if_matched_sid>501</if_matched_sid>\n<if_matched_group>logins</if_matched_group>'),
    right: counting('<if_matched_sid>501</if_matched_sid>'),
  },
  {
    code: 'rule_if_matched_sid_unwired',
    wrong: counting('<if_sid>501</if_sid><if_matched_sid>100999</if_matched_sid>'),
    right: counting('<if_sid>501</if_sid><if_matched_sid>504</if_matched_sid>'),
  },
  {
    code: 'rule_if_matched_group_unwired',
    wrong: counting('<if_sid>501</if_sid><if_matched_group>nowhere</if_matched_group>'),
    right: counting('<if_sid>501</if_sid><if_matched_group>logins</if_matched_group>'),
  },
  { code: 'rule_matched_level_zero', wrong: counting('<if_matched_sid>500</if_matched_sid>'), right: counting('<if_matched_sid>501</if_matched_sid>') },
  {
    code: 'rule_if_matched_sid_shadowed',
    wrong: child('', 'id="100099" level="6"') + counting('<if_matched_sid>501</if_matched_sid>'),
    right: child('<match>a</match>', 'id="100099" level="6"') + counting('<if_matched_sid>501</if_matched_sid>'),
  },
  {
    code: 'rule_if_matched_group_starved',
    wrong: counting('<if_matched_sid>501</if_matched_sid>', 'id="100099" level="10" frequency="4" timeframe="60"') + counting('<if_matched_group>logins</if_matched_group>'),
    right: counting('<if_matched_group>logins</if_matched_group>'),
  },
  {
    code: 'rule_if_matched_group_later_members',
    wrong: counting('<if_matched_group>logins</if_matched_group>') + second('<match>b</match><group>logins,</group>'),
    right: second('<match>b</match><group>logins,</group>') + counting('<if_matched_group>logins</if_matched_group>'),
  },
  {
    code: 'rule_if_matched_regex_agents',
    line: 2,
    wrong: counting('\n<if_matched_regex>^login</if_matched_regex>'),
    right: counting('\n<if_matched_regex>^login</if_matched_regex><global_frequency />'),
  },
  {
    code: 'rule_if_matched_regex_agents',
    line: 2,
    wrong: counting('<if_sid>501</if_sid>\n<if_matched_sid></if_matched_sid>'),
    right: counting('<if_sid>501</if_sid>\n<if_matched_sid>501</if_matched_sid>'),
  },
  // crashes of Wazuh's that content alone tells
  {
    code: 'wazuh_crash',
    line: 2,
    wrong: child(`<match>a</match>\n<group>${'g'.repeat(2049)}</group>`),
    right: child(`<match>a</match>\n<group>${'g'.repeat(2047)}\n,</group>`),
  },
  {
    code: 'wazuh_crash',
    line: 3,
    wrong: child(`<match>a</match>\n<group>${'g'.repeat(2048)}</group>\n<group>h</group>`),
    right: child(`<match>a</match>\n<group>${'g'.repeat(2043)}</group>\n<group>h</group>`),
  },
  {
    code: 'wazuh_crash',
    line: 2,
    wrong: { rawRules: `<group name="x,">${child('<match>a</match>')}</group>\n<group name="y,"></group>` },
    right: { rawRules: `<group name="y,"></group>\n<group name="x,">${child('<match>a</match>')}</group>` },
  },
  {
    code: 'wazuh_crash',
    line: 2,
    wrong: counting('\n<if_sid>501, 599</if_sid><if_matched_sid>501</if_matched_sid>'),
    right: counting('\n<if_sid>599, 501</if_sid><if_matched_sid>501</if_matched_sid>'),
  },
  {
    code: 'rule_frequency_multi_parent',
    wrong: rule('<if_sid>501, 504</if_sid><match>b</match><group>twice,</group>', 'id="100099" level="5"') + counting('<if_matched_group>twice</if_matched_group>'),
    right: child('<match>b</match><group>twice,</group>', 'id="100099" level="5"') + counting('<if_matched_group>twice</if_matched_group>'),
  },
  {
    code: 'rule_frequency_sibling_blocked',
    line: 2,
    wrong: `${counting('<if_matched_sid>501</if_matched_sid>')}\n${counting('<if_matched_sid>501</if_matched_sid>', 'id="100101" level="10" frequency="8" timeframe="60"')}`,
    right: `${counting('<if_matched_sid>501</if_matched_sid>')}\n${counting('<if_matched_sid>501</if_matched_sid>', 'id="100101" level="12" frequency="8" timeframe="60"')}`,
  },
  // ATT&CK
  { code: 'mitre_id_invalid', line: 2, wrong: child('<match>a</match><mitre>\n<id>1110</id></mitre>'), right: child('<match>a</match><mitre>\n<id>T1110.001</id></mitre>') },
  {
    code: 'mitre_technique_deprecated',
    line: 2,
    wrong: child('<match>a</match><mitre>\n<id>T1086</id></mitre>'),
    right: child('<match>a</match><mitre>\n<id>T1059.001</id></mitre>'),
  },
  {
    code: 'mitre_tactic_mismatch',
    line: 2,
    wrong: child('<match>a</match><mitre>\n<tacticID>TA0001</tacticID><techniqueID>T1110</techniqueID></mitre>'),
    right: child('<match>a</match><mitre>\n<tacticID>TA0006</tacticID><techniqueID>T1110</techniqueID></mitre>'),
  },
  { code: 'mitre_missing', wrong: child('<match>a</match>', 'id="100100" level="12"'), right: child('<match>a</match><mitre><id>T1110</id></mitre>', 'id="100100" level="12"') },
  // decoders
  { code: 'decoder_list_empty', line: null, wrong: { files: [], decoders: 'ONLY' }, right: srv() },
  {
    code: 'decoder_prematch_offset_unknown',
    line: 2,
    wrong: srv(kid('<prematch offset="after_perent">a</prematch>')),
    right: srv(kid('<prematch offset="after_parent">a</prematch>')),
  },
  { code: 'decoder_attribute_ignored', line: 2, wrong: srv(kid('<prematch color="red">a</prematch>')), right: srv(kid('<prematch>a</prematch>')) },
  {
    code: 'decoder_element_duplicate',
    line: 2,
    wrong: srv(kid('<regex>a(\\S+) </regex><order>id</order><order>url</order>')),
    right: srv(kid('<regex>a(\\S+) </regex><order>id</order>')),
  },
  {
    code: 'decoder_duplicate_root',
    line: 3,
    wrong: srv(kid('<prematch>a</prematch>'), decoder('srv', '<program_name>^other$</program_name>')),
    right: srv(decoder('srv', '<program_name>^other$</program_name>'), kid('<prematch>a</prematch>')),
  },
  { code: 'decoder_regex_no_group', line: 2, wrong: srv(kid('<regex>a \\S+ </regex><order>id</order>')), right: srv(kid('<regex>a (\\S+) </regex><order>id</order>')) },
  { code: 'decoder_group_count_mismatch', line: 2, wrong: srv(kid(`${TWO}<order>id, url, data</order>`)), right: srv(kid(`${TWO}<order>id, url</order>`)) },
  { code: 'decoder_order_duplicate_field', line: 2, wrong: srv(kid(`${TWO}<order>id, id</order>`)), right: srv(kid(`${TWO}<order>id, url</order>`)) },
  { code: 'decoder_order_whitespace', line: 2, wrong: srv(kid(`${TWO}<order>id,\n url</order>`)), right: srv(kid(`${TWO}<order>id,  url</order>`)) },
  { code: 'decoder_field_name_style', line: 2, wrong: srv(kid(`${TWO}<order>id, source ip</order>`)), right: srv(kid(`${TWO}<order>id, source_ip</order>`)) },
  {
    code: 'decoder_plugin_ignored',
    line: 1,
    wrong: { decoders: `${decoder('srv', `${SRV}<plugin_decoder>JSON_Decoder</plugin_decoder>`)}\n${kid('<prematch>a</prematch>')}`, rules: reads() },
    right: { decoders: decoder('srv', `${SRV}<plugin_decoder>JSON_Decoder</plugin_decoder>`), rules: reads() },
  },
  {
    code: 'decoder_regex_ignored',
    line: 1,
    wrong: { decoders: `${decoder('srv', `${SRV}${TWO}<order>id, url</order>`)}\n${kid('<prematch>a</prematch>')}`, rules: reads() },
    right: { decoders: decoder('srv', `${SRV}${TWO}<order>id, url</order>`), rules: reads() },
  },
  { code: 'decoder_program_name_in_child', line: 2, wrong: srv(kid('<program_name>a</program_name><prematch>a</prematch>')), right: srv(kid('<prematch>a</prematch>')) },
  {
    code: 'decoder_option_ineffective',
    line: 2,
    wrong: srv(kid(`<type>ids</type>${TWO}<order>id, url</order>`)),
    right: srv(kid(`<prematch>a</prematch><type>ids</type>${TWO}<order>id, url</order>`)),
  },
  {
    code: 'decoder_child_behind_catch_all',
    line: 3,
    wrong: srv(kid(`${TWO}<order>id, url</order>`), kid('<prematch>a</prematch>', 'srv-b')),
    right: srv(kid('<prematch>a</prematch>', 'srv-b'), kid(`${TWO}<order>id, url</order>`)),
  },
  {
    code: 'decoder_sibling_name_breaks_chain',
    line: 4,
    wrong: srv(kid(`${TWO}<order>id, url</order>`), kid('<prematch>b</prematch>', 'srv-b'), kid('<regex>c(\\S+) </regex><order>data</order>')),
    right: srv(kid('<prematch>b</prematch>', 'srv-b'), kid(`${TWO}<order>id, url</order>`), kid('<regex>c(\\S+) </regex><order>data</order>')),
  },
  {
    code: 'decoder_shadowed',
    line: 2,
    wrong: {
      decoders: `${root()}\n${decoder('late', '<program_name>^srv$</program_name><prematch>x</prematch>')}`,
      rules: reads() + rule('<decoded_as>late</decoded_as>', 'id="100101" level="5"'),
    },
    right: { decoders: `${root()}\n${decoder('late', '<program_name>^late$</program_name>')}`, rules: reads() + rule('<decoded_as>late</decoded_as>', 'id="100101" level="5"') },
  },
  { code: 'decoder_unreachable', wrong: { decoders: root() }, right: srv() },
  {
    code: 'decoder_empty_alternative',
    line: 2,
    wrong: srv(kid('<regex>user=(\\S+) |(\\.*)$</regex><order>id</order>')),
    right: srv(kid('<regex>user=(\\S+) |id=(\\.*)$</regex><order>id</order>')),
  },
  // patterns
  { code: 'regex_wrong_dialect', line: 2, wrong: child('\n<regex>port=[0-9]{2,5}</regex>'), right: child('\n<regex type="pcre2">port=[0-9]{2,5}</regex>') },
  { code: 'regex_never_matches', line: 2, wrong: child('\n<regex type="pcre2">a$b</regex>'), right: child('\n<regex type="pcre2">ab$</regex>') },
  { code: 'regex_backtracking', line: 2, wrong: child('\n<regex type="pcre2">^(\\w+\\s?)+$</regex>'), right: child('\n<regex type="pcre2">^(\\w+\\s)+$</regex>') },
  { code: 'regex_slow', line: 2, wrong: child('\n<regex type="pcre2">.*error.*</regex>'), right: child('\n<regex type="pcre2">error.*x</regex>') },
  {
    code: 'regex_re2_unsupported',
    line: 2,
    wrong: child('\n<regex type="pcre2">^(\\w+) (\\d+) \\1 (?:a|b)*(?:a|b)*c</regex>'),
    right: child('\n<regex type="pcre2">^(\\w+) (\\d+)</regex>'),
  },
  { code: 'regex_unanchored_program_name', line: 1, wrong: { decoders: decoder('srv', '<program_name>srv</program_name>'), rules: reads() }, right: srv() },
  {
    code: 'regex_anchor_after_offset',
    line: 2,
    wrong: { decoders: `${decoder('srv', '<prematch>^srv: </prematch>')}\n${kid('<regex offset="after_parent">^srv: (\\S+) </regex><order>id</order>')}`, rules: reads() },
    right: { decoders: `${decoder('srv', '<prematch>^srv: </prematch>')}\n${kid('<regex offset="after_parent">^id=(\\S+) </regex><order>id</order>')}`, rules: reads() },
  },
  { code: 'regex_unescaped_dot', line: 2, wrong: child('\n<match type="pcre2">cmd.exe</match>'), right: child('\n<match type="pcre2">cmd\\.exe</match>') },
  { code: 'regex_case_redundant', line: 2, wrong: child('\n<match>Error|ERROR</match>'), right: child('\n<match>Error|Failed</match>') },
  { code: 'regex_unused_capture', line: 2, wrong: child('\n<regex>user (\\S+) gone</regex>'), right: child('\n<regex>user \\S+ gone</regex>') },
  { code: 'regex_literal_only', line: 2, wrong: child('\n<regex>session gone</regex>'), right: child('\n<match>session gone</match>') },
  { code: 'regex_non_ascii', line: 2, wrong: child('\n<match>usuário</match>'), right: child('\n<match type="pcre2">usuário</match>') },
  {
    code: 'regex_adjacent_groups',
    line: 2,
    wrong: srv(kid('<regex>(\\w+)(\\d+) x</regex><order>id, url</order>')),
    right: srv(kid('<regex>(\\w+)-(\\d+) x</regex><order>id, url</order>')),
  },
  {
    code: 'regex_open_end_before_offset',
    line: 2,
    wrong: srv(kid('<prematch>^session \\d+</prematch><regex offset="after_prematch">^ by (\\S+) </regex><order>id</order>')),
    right: srv(kid('<prematch>^session \\d+ </prematch><regex offset="after_prematch">^by (\\S+) </regex><order>id</order>')),
  },
  {
    code: 'regex_captures_reused',
    line: 2,
    wrong: srv(kid('<prematch type="pcre2">^(x)</prematch><regex type="pcre2">ab</regex><order>id</order>')),
    right: srv(kid('<prematch type="pcre2">^x</prematch><regex type="pcre2">a(b)</regex><order>id</order>')),
  },
]
