/**
 * What the analysis endpoints take and answer, declared once: validation, types and the interface document come from here. Answers are made by the
 * engine in its threads; tests hold them against these declarations, both ways.
 */
import Type from 'typebox'
import { EXAMPLE_EVENT, EXAMPLE_FILE, EXAMPLE_HASH } from '#requests'
import { LOG_FORMATS } from '#workers'
import { nullable } from '../core/nullable.js'

const strict = { additionalProperties: false } as const

export const VALIDATE_QUERY = Type.Object(
  {
    include_baseline: Type.Optional(
      Type.Boolean({ default: false, description: 'Also return the diagnostics of the reference ruleset (`source_scope` `default`); they never make `ok` false.' }),
    ),
  },
  strict,
)

// --- answers

const LINE = 'From 1.'

export const DIAGNOSTIC = Type.Object(
  {
    severity: Type.Enum(['error', 'warning', 'info', 'success'], { description: 'An error makes Wazuh refuse the ruleset, log an error, or drop a rule.' }),
    source: Type.Enum(['xml', 'rules', 'decoders', 'engine', 'session', 'filesystem'], { description: 'The part that reports the diagnostic.' }),
    code: Type.String({ description: 'Code of the diagnostic; the same in every language and release.', examples: ['decoder_missing_parent'] }),
    message: Type.String({ examples: ['The level 20 of rule 100100 is above 16.'], description: 'What is wrong, in the language of the request.' }),
    filename: Type.String({ examples: ['local_rules.xml'], description: 'File of the diagnostic; empty: none.' }),
    line: nullable(Type.Integer({ minimum: 1 }), LINE),
    column: nullable(Type.Integer({ minimum: 1 }), `${LINE} Counts characters.`),
    end_line: nullable(Type.Integer({ minimum: 1 }), 'Line where the place ends.'),
    end_column: nullable(Type.Integer({ minimum: 1 }), 'Column after the last character of the place.'),
    hint: Type.String({ examples: ['Choose a level from 0 (no alert) to 16.'], description: 'What to do about it, in the language of the request.' }),
    evidence: nullable(Type.String({ examples: ['level="20"'] }), 'The piece of XML, as written; cut when long.'),
    source_scope: nullable(Type.Enum(['default', 'custom', 'adhoc']), 'Scope of the file; null: it belongs to no file.'),
    engine_effect: Type.Enum(['refuse', 'drop', 'ignore', 'crash', 'none'], {
      description:
        'What Wazuh does: `refuse` loads nothing, `drop` leaves the rule out without a word, `ignore` passes over the piece, `crash` crashes or hangs, `none` does nothing special, or does not come to it because of another fault.',
    }),
    suggestion: nullable(Type.String({ examples: ['description'] }), 'The known name nearest to one that is unknown.'),
    related: Type.Array(
      Type.Object(
        {
          filename: Type.String({ examples: ['local_rules.xml'], description: 'Its file.' }),
          line: Type.Integer({ minimum: 1, description: LINE }),
          column: Type.Integer({ minimum: 1, description: LINE }),
        },
        strict,
      ),
      { description: 'Related places, such as the first definition or the rule that is referenced.' },
    ),
    cause: nullable(
      Type.Object(
        {
          code: Type.String({ examples: ['rule_level_invalid'], description: 'Its code.' }),
          filename: Type.String({ examples: ['local_rules.xml'], description: 'Its file.' }),
          line: nullable(Type.Integer({ minimum: 1 }), LINE),
          column: nullable(Type.Integer({ minimum: 1 }), `${LINE} Counts characters.`),
        },
        strict,
      ),
      'The diagnostic that this one is a consequence of. Null: a fault of its own.',
    ),
    more: Type.Integer({
      minimum: 0,
      examples: [0],
      description:
        'Number of further diagnostics of this kind in the file, which are not listed; the message says it too. 100 are listed for a rule or decoder, 1,000 for a ruleset.',
    }),
    attack: Type.Optional(
      Type.Object(
        {
          kind: Type.Enum(['blind', 'stall'], { description: '`blind`: PCRE2 gives up, and Wazuh takes that for no match. `stall`: the thread is held for `ms`.' }),
          degree: nullable(Type.Integer({ minimum: 0, examples: [2] }), 'Degree by which the steps from one position grow with `copies`. Null: each copy multiplies them.'),
          prefix: Type.String({ examples: ['a'], description: 'What the text begins with.' }),
          pump: Type.String({ examples: ['fooa'], description: 'What is repeated.' }),
          suffix: Type.String({ examples: ['!'], description: 'What the text ends with.' }),
          copies: Type.Integer({ minimum: 1, examples: [1118], description: 'How often `pump` is repeated.' }),
          bytes: Type.Integer({ minimum: 1, examples: [4480], description: 'Bytes of the whole text.' }),
          steps: Type.Integer({ minimum: 0, examples: [9990000], description: 'Steps that PCRE2 takes on the longest text below its limit.' }),
          ms: Type.Integer({ minimum: 0, examples: [120], description: 'About how long they take.' }),
        },
        { ...strict, description: 'The text that stalls or blinds the pattern: `prefix`, `pump` as often as `copies` says, `suffix`. Only `regex_backtracking` has it.' },
      ),
    ),
  },
  { ...strict, description: 'A diagnostic.' },
)

export const VALIDATION_SUMMARY = Type.Object(
  {
    total_rule_files: Type.Integer({ minimum: 0, examples: [57], description: 'Rules files of the whole ruleset, including those from disk.' }),
    total_decoder_files: Type.Integer({ minimum: 0, examples: [38], description: 'Decoders files of the whole ruleset, including those from disk.' }),
    total_rules: Type.Integer({ minimum: 0, examples: [1568], description: 'Loaded rules.' }),
    total_decoders: Type.Integer({ minimum: 0, examples: [499], description: 'Loaded decoders.' }),
    total_lists: Type.Integer({ minimum: 0, examples: [8], description: 'Lists that rules can use; of several with one name one.' }),
    compiled_hash: Type.String({
      description: 'SHA-256 over the engine version and all files: same content, same hash, on every instance. Empty: nothing was compiled.',
      examples: [EXAMPLE_HASH],
    }),
    loaded_from_disk: Type.Boolean({ description: 'Whether any file was loaded from disk.' }),
  },
  { ...strict, description: 'Counts and hash of the ruleset.' },
)

const MILLISECONDS = { minimum: 0 } as const
const PERFORMANCE_FIELDS = {
  source_build_ms: Type.Number({ ...MILLISECONDS, description: 'Reading, hashing and combining the files.' }),
  compile_ms: Type.Number({ ...MILLISECONDS, description: 'Compiling; 0 when it was cached.' }),
  total_ms: Type.Number({ ...MILLISECONDS, description: 'Total time without waiting for a worker.' }),
  cache_hit: Type.Boolean({ description: 'Whether the compiled ruleset was cached.' }),
} as const

const PERFORMANCE = Type.Object(PERFORMANCE_FIELDS, { ...strict, description: 'Times in milliseconds.' })

const LOGTEST_PERFORMANCE = Type.Object(
  {
    ...PERFORMANCE_FIELDS,
    predecode_ms: Type.Number({ ...MILLISECONDS, description: 'Pre-decoding.' }),
    decode_ms: Type.Number({ ...MILLISECONDS, description: 'Decoders.' }),
    rule_ms: Type.Number({ ...MILLISECONDS, description: 'Rules.' }),
  },
  { ...strict, description: 'Times in milliseconds.' },
)

const DIAGNOSTICS_FIELD = Type.Array(DIAGNOSTIC, {
  description: 'Diagnostics. Those of the reference ruleset are omitted unless `include_baseline` is true; they are counted either way.',
})

export const VALIDATION_RESPONSE = Type.Object(
  {
    ok: Type.Boolean({
      description: [
        'No diagnostic of severity `error` in files of the request, but those of scope `default`.',
        'Where Wazuh would not start (`loads` is false), errors in custom content of the instance count as well.',
      ].join(' '),
    }),
    loads: Type.Boolean({ description: 'Whether Wazuh would start with the ruleset.' }),
    summary: VALIDATION_SUMMARY,
    diagnostics: DIAGNOSTICS_FIELD,
    performance: PERFORMANCE,
    baseline_issue_count: Type.Integer({
      minimum: 0,
      description: 'Number of diagnostics of the reference ruleset, returned or not; without attacks on its patterns, which are searched where they are returned.',
    }),
  },
  { ...strict, description: 'Result of a validation.' },
)

const PREDECODED = Type.Object(
  {
    timestamp: nullable(Type.String({ examples: ['Jan  5 10:11:12'] }), 'As written in the header; null: none.'),
    hostname: nullable(Type.String({ examples: ['web1'] }), 'Host of the header; null: none.'),
    program_name: nullable(Type.String({ examples: ['sshd'] }), 'Program of the header; null: none.'),
    location: Type.String({ examples: ['stdin'], description: 'Source of the event.' }),
    raw_message: Type.String({ examples: [EXAMPLE_EVENT], description: 'The event as sent.' }),
    detected_format: Type.Enum(
      LOG_FORMATS.filter((format) => format !== 'auto'),
      { description: 'The format with which the event was run.' },
    ),
  },
  { ...strict, description: 'Result of pre-decoding.' },
)

const DECODER = Type.Object(
  {
    name: Type.String({ examples: ['sshd'], description: 'Name that Wazuh reports.' }),
    parent: nullable(Type.String({ examples: ['sshd'] }), 'Its parent; null: none.'),
    order: Type.Array(Type.String(), { examples: [['srcuser', 'srcip']], description: 'Fields that it extracts, in order.' }),
  },
  strict,
)

const MATCHED_RULE_FIELDS = {
  id: Type.String({ description: 'Rule id.', examples: ['5716'] }),
  matched: Type.Boolean({ description: 'Always true.' }),
  level: Type.Integer({ minimum: 0, maximum: 99, examples: [7], description: 'Severity, 0 to 16; 99 for a rule of level 0 with accuracy="0", as Wazuh has it.' }),
  description: Type.String({ examples: ['sshd: failed login of root.'], description: 'Description with the values of the fields inserted.' }),
  groups: Type.Array(Type.String(), { examples: [['local', 'authentication_failed']], description: 'Groups of the rule.' }),
  attack_ids: Type.Array(Type.String(), { examples: [['T1110']], description: 'Attack technique ids.' }),
  parent_ids: Type.Array(Type.String(), { examples: [['5760']], description: 'Ids of the direct parent rules.' }),
  filename: Type.String({ examples: ['local_rules.xml'], description: 'File that defines it.' }),
  line: Type.Integer({ minimum: 1, description: 'Line of its definition, from 1.' }),
} as const

const MATCHED_RULE = Type.Object(MATCHED_RULE_FIELDS, { ...strict, description: 'A rule that matched.' })

const FINAL_RULE = Type.Object(
  {
    ...MATCHED_RULE_FIELDS,
    firedtimes: nullable(Type.Integer({ minimum: 0 }), 'How often it was final in the session; null: the rule has the option no_counter.'),
    frequency: nullable(Type.Integer({ minimum: 0 }), 'How many events a composite takes; null: the rule is no composite.'),
  },
  strict,
)

const TRACE_ENTRY = Type.Object(
  {
    phase: Type.Enum(['predecode', 'decode', 'rule'], { description: 'The stage.' }),
    name: Type.String({ examples: ['5760'], description: 'Header form, decoder name or rule id.' }),
    matched: Type.Boolean({ description: 'Whether it matched.' }),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The deciding condition, the examined text (truncated when long), and the extracted values of a match; in the first entry `alert_predecoder`, if an alert of Wazuh shows another host.',
    }),
    line: Type.Optional(Type.Integer({ minimum: 1, description: 'Line of the decoder or rule.' })),
    filename: Type.Optional(Type.String({ examples: ['0030-sshd.xml'], description: 'File of the decoder or rule.' })),
  },
  { ...strict, description: 'One decision.' },
)

const LOGTEST_FIELDS = {
  ok: Type.Boolean({
    description: [
      'The event ran, and no diagnostic of severity `error` is in files of the request, whether Wazuh would refuse everything for it or drop one rule.',
      'The event is run wherever the ruleset loads: `rule` and the rest are filled then, also where `ok` is false. Files of scope `default` never make it false, and neither does a rule in custom content of the instance that Wazuh drops.',
    ].join(' '),
  }),
  diagnostics: DIAGNOSTICS_FIELD,
  decoder: nullable(DECODER, 'The decoder; null: none matched.'),
  rule: nullable(FINAL_RULE, 'The rule that Wazuh would alert with; null: none.'),
  matched_rules: Type.Array(MATCHED_RULE, { description: 'Every rule that matched, in evaluation order, including those of an abandoned `noalert` branch.' }),
  extracted_fields: Type.Record(Type.String(), Type.String(), { description: 'Static and dynamic fields; a static field takes precedence.' }),
  trace: Type.Array(TRACE_ENTRY, { description: 'Every decision, in order: why something matched, and why it did not.' }),
  insights: Type.Array(Type.String(), {
    examples: [[]],
    description: 'Tips, in the language of the request: among them what keeps an event from the rules and decoders of the request.',
  }),
  alert: Type.Boolean({ description: 'The rule alerts: its level reaches 3, and it is not in its `ignore` window.' }),
  previous_output: Type.Array(Type.String(), { examples: [[]], description: 'Logs that a composite counted, newest first.' }),
} as const

export const LOGTEST_RESPONSE = Type.Object(
  {
    ...LOGTEST_FIELDS,
    summary: VALIDATION_SUMMARY,
    performance: LOGTEST_PERFORMANCE,
    predecoded: nullable(PREDECODED, 'Pre-decoding; null: the run was stopped.'),
  },
  { ...strict, description: 'Result of an event.' },
)

export const BATCH_ERROR = Type.Object(
  {
    code: Type.String({ examples: ['bad_request'], description: 'Code of the error.' }),
    message: Type.String({ examples: ['The level 20 of rule 100100 is above 16.'], description: 'What is wrong, in the language of the request.' }),
    hint: Type.String({ examples: ['Choose a level from 0 (no alert) to 16.'], description: 'What to do about it.' }),
    details: Type.Record(Type.String(), Type.Unknown(), { description: '`errors`: the failing fields, as in a 422.' }),
    debug_id: Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description: "The request's id." }),
  },
  { ...strict, description: 'Error for an invalid line, in its place; or, before the last line, the reason why the rest was not run.' },
)

export const BATCH_ANSWER = Type.Object(
  {
    ...LOGTEST_FIELDS,
    insights: Type.Array(Type.String(), {
      description:
        'What was found about this event (it was cut off, refused or stopped, or its session was lost), then tips where a trace is asked for. In the language of the request.',
    }),
    diagnostics: Type.Optional(
      Type.Array(DIAGNOSTIC, {
        description: 'Diagnostics of the event and of the ruleset, only on the first event that was run; if the ruleset could not be compiled, the reason, only on the first line.',
      }),
    ),
    summary: Type.Optional(VALIDATION_SUMMARY),
    performance: Type.Optional(LOGTEST_PERFORMANCE),
    predecoded: nullable(PREDECODED, 'Pre-decoding; null: the event was stopped.'),
  },
  { ...strict, description: 'Result of an event; `summary` and `diagnostics` are only on the first event that was run.' },
)

export const BATCH_END = Type.Object(
  {
    done: Type.Boolean({ description: 'True: every line has a result. False: the rest was not run, for the reason on the line before.' }),
    total: Type.Integer({ minimum: 0, description: 'Lines with a result, including invalid ones.' }),
    matched: Type.Integer({ minimum: 0, description: 'Events with a final rule.' }),
    failed: Type.Integer({
      minimum: 0,
      description: 'Invalid lines, and events with `ok: false`: every event, if the content of the caller has an error.',
    }),
    alerts: Type.Optional(Type.Integer({ minimum: 0, description: 'Events that alert; only with `select` or `only`.' })),
    duration_ms: Type.Number({ minimum: 0, description: 'Time from the first line to this one, in milliseconds.' }),
    summary: Type.Optional(VALIDATION_SUMMARY),
    diagnostics: Type.Optional(Type.Array(DIAGNOSTIC, { description: 'Diagnostics of the ruleset; with `select` or `only` they are here, if an event ran.' })),
  },
  { ...strict, description: 'Last line.' },
)

export const BATCH_SELECTED = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Result of an event with the fields of `select`, in their order.',
  examples: [{ line: 2, 'rule.id': '5760', level: 5, srcip: '203.0.113.7' }],
})

export const BATCH_LINE = Type.Union([BATCH_ANSWER, BATCH_ERROR, BATCH_END, BATCH_SELECTED], { description: 'A line of the response.' })

const SCHEMA_ELEMENT = Type.Object(
  {
    name: Type.String({ examples: ['if_sid'], description: 'The tag.' }),
    context: Type.String({ examples: ['rule'], description: 'The parent tag; `file`: top level.' }),
    description: Type.String({ examples: ['Ids of the rules of which this one is a child.'], description: 'Description, in the language of the request.' }),
    runtime_supported: Type.Boolean({ description: 'False: Wazuh reads it, but it has no effect.' }),
    attributes: Type.Array(
      Type.Object(
        {
          name: Type.String({ examples: ['negate'], description: 'The attribute.' }),
          required: Type.Boolean({ description: 'Wazuh refuses the element without it.' }),
          allowed_values: Type.Array(Type.String(), { examples: [['yes', 'no']], description: 'Allowed values; empty: any.' }),
          description: Type.String({ examples: ['Matches what the pattern does not.'], description: 'Description.' }),
        },
        strict,
      ),
      { description: 'Allowed attributes.' },
    ),
    child_tags: Type.Array(Type.String(), { examples: [[]], description: 'Allowed child tags.' }),
    allowed_values: Type.Array(Type.String(), { examples: [[]], description: 'Allowed values of its text; empty: any.' }),
  },
  strict,
)

const SCHEMA_SECTION_FIELDS = {
  top_level_tags: Type.Array(Type.String(), { examples: [['group', 'var']], description: 'Tags allowed at the top level of a file.' }),
  wrapper_tags: Type.Array(Type.String(), { examples: [['group']], description: 'Tags that only contain other tags.' }),
  elements: Type.Array(SCHEMA_ELEMENT, { description: 'Every tag.' }),
  root_attributes: Type.Array(Type.String(), { examples: [['id', 'level']], description: 'Attributes of `<decoder>`, or of `<rule>`.' }),
} as const

export const VALIDATION_SCHEMA_RESPONSE = Type.Object(
  {
    version: Type.String({ examples: ['1'], description: 'Version of the XML schema, independent of the API version.' }),
    references: Type.Array(Type.String(), {
      examples: [['https://documentation.wazuh.com/current/user-manual/ruleset/index.html']],
      description: "Wazuh's documentation of the syntax.",
    }),
    decoders: Type.Object(SCHEMA_SECTION_FIELDS, { ...strict, description: 'Decoders files.' }),
    rules: Type.Object(
      {
        ...SCHEMA_SECTION_FIELDS,
        group_attributes: Type.Array(Type.String(), { examples: [['name']], description: 'Attributes of `<group>`.' }),
        attack_elements: Type.Array(Type.String(), { examples: [['mitre']], description: 'Tags that name attack techniques.' }),
      },
      { ...strict, description: 'Rules files.' },
    ),
  },
  { ...strict, description: 'Schema of rules and decoders.' },
)

/** A list and a rule that uses it. */
const EXAMPLE_LIST = { filename: 'etc/lists/watched-addresses', kind: 'lists', scope: 'adhoc', content: '203.0.113.7:scanner\n198.51.100.:partner network\n' } as const
const EXAMPLE_LIST_RULE = {
  filename: 'local_rules.xml',
  kind: 'rules',
  scope: 'adhoc',
  content:
    '<group name="local,">\n  <rule id="100101" level="10">\n    <if_sid>5710</if_sid>\n    <list field="srcip" lookup="address_match_key">etc/lists/watched-addresses</list>\n    <description>sshd: unknown user from a watched address.</description>\n  </rule>\n</group>',
} as const

export const VALIDATION_EXAMPLE = { files: [EXAMPLE_FILE] } as const
export const LIST_EXAMPLE = { files: [EXAMPLE_LIST_RULE, EXAMPLE_LIST] } as const
export const LOGTEST_EXAMPLE = { files: [EXAMPLE_FILE], input: { event: EXAMPLE_EVENT } } as const
export const HASH_EXAMPLE = { compiled_hash: EXAMPLE_HASH, input: { event: EXAMPLE_EVENT, session_id: 'triage-42' } } as const
