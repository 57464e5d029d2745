/** What an upgrade of the ruleset below a content breaks in it, as the API returns it. */
import Type, { type Static } from 'typebox'
import { FILES_LIMIT, RULESET_BYTES } from '#requests'
import { FILE_KINDS } from '#workers'
import { nullable } from '../../core/nullable.js'
import { WHOLE_CHARACTERS } from '../../core/patterns.js'
import { contentChoice } from '../shared/chosen-content.js'
import { DECODERS_EXAMPLE, projectFields, RULES_EXAMPLE } from '../shared/fields.js'
import { EventAnswer, runEvents } from '../shared/run-events.js'

/** Most findings of an answer. Counts include all. */
export const FINDINGS_LISTED = 1_000
const FILENAME_CHARACTERS = 255

const UpgradeBase = Type.Object(
  {
    files: Type.Array(
      Type.Object(
        {
          filename: Type.String({
            minLength: 1,
            maxLength: FILENAME_CHARACTERS,
            pattern: WHOLE_CHARACTERS,
            examples: ['0095-sshd_rules.xml'],
            description: 'Name of the file. Files load in the order of their names. That of a list is the path by which rules name it, without `.cdb`.',
          }),
          kind: Type.Enum([...FILE_KINDS], { description: 'What is in the file.' }),
          content: Type.String({ maxLength: RULESET_BYTES, pattern: WHOLE_CHARACTERS, description: 'Its text.' }),
        },
        { description: 'A file of the ruleset.' },
      ),
      { minItems: 1, maxItems: FILES_LIMIT, description: 'All files of the ruleset.' },
    ),
  },
  { $id: 'UpgradeBase', description: 'A whole ruleset, in place of the reference ruleset of the service.' },
)
const base = (which: string) =>
  Type.Optional(nullable(UpgradeBase, `The ruleset ${which}; null or absent: that of the service, as the content includes it. One of both is required.`))

export const UpgradeCheckRequest = Type.Object(
  { ...contentChoice, from: base('before the upgrade'), to: base('after it') },
  { $id: 'UpgradeCheckRequest', description: 'A version or a workspace, or with neither the content of the project; and the ruleset below it before and after.' },
)
export type UpgradeCheckRequest = Static<typeof UpgradeCheckRequest>

const count = (description: string) => Type.Integer({ minimum: 0, description })
const loads = (description: string) => Type.Boolean({ description })
const xml = (description: string) => Type.String({ examples: ['<match>failed</match>'], description })

const UpgradeFinding = Type.Object(
  {
    code: Type.String({ examples: ['parent_renumbered'], description: 'Code of the finding.' }),
    severity: Type.Enum(['error', 'warning', 'info'], { description: '`info`: what it names has changed, and no other answer was found.' }),
    filename: nullable(Type.String({ examples: ['project_rules.xml'] }), 'File of the content, or of the ruleset; null: it is about a case.'),
    line: nullable(Type.Integer({ minimum: 1, examples: [12] }), 'Its line; null: it is about a case.'),
    case_id: projectFields.idOrNull('The case that passes before and fails after; null: it is about none.'),
    item: nullable(
      Type.Object(
        {
          rule_id: Type.Optional(Type.String({ examples: ['100100'], description: 'Id of the rule; absent: it is a decoder.' })),
          decoder: Type.Optional(Type.String({ examples: ['vpn-login'], description: 'Name of the decoder; absent: it is a rule.' })),
        },
        { description: 'The rule or decoder.' },
      ),
      'The rule or decoder; null: it is about none.',
    ),
    effect: Type.String({ examples: ['Rule 5700 of <if_sid> no longer exists.'], description: 'What happens in Wazuh, in the language of the request.' }),
    advice: Type.String({ examples: ['Write 5701 in <if_sid>.'], description: 'What to do, in the language of the request.' }),
    options: Type.Array(
      Type.Object(
        {
          option: Type.String({ examples: ['match'], description: 'Tag or attribute.' }),
          before: xml('The old rule has it so. Texts are XML; empty: absent.'),
          own: xml('The content has it so.'),
          upstream: xml('The new rule has it so.'),
          taken: Type.Enum(['upstream', 'both', 'own'], { description: 'Which one the proposal has.' }),
        },
        { description: 'An option.' },
      ),
      { description: 'How each option of an overwrite is merged. Empty: it is about no overwrite.' },
    ),
    proposal: nullable(Type.String({ examples: ['<rule id="5710" level="8" overwrite="yes">…</rule>'] }), 'The rule as it should be, as XML; null: there is no proposal.'),
    is_mergeable: Type.Boolean({ description: 'Whether `merged` has its correction. False: a person has to decide.' }),
    witness: nullable(
      Type.Object({ events: runEvents('Events of one session.') }, { description: 'Events that show it, with the last one. They were run on both.' }),
      'Events that show it; null: there are none.',
    ),
    old: nullable(EventAnswer, 'What became of the last event before; null: no rule, or no event.'),
    new: nullable(EventAnswer, 'What becomes of it after; null: no rule, or no event.'),
  },
  { $id: 'UpgradeFinding', description: 'What breaks, or is to be looked at.' },
)

export const UpgradeCheckResponse = Type.Object(
  {
    from_loads: loads('Whether Wazuh would start with the ruleset before the upgrade. Nothing is compared unless it would.'),
    to_loads: loads('Whether Wazuh would start with the ruleset after it. Nothing is compared unless it would.'),
    content_loads: loads('Whether Wazuh would start with the content on the ruleset before the upgrade. Nothing is compared unless it would.'),
    is_complete: Type.Boolean({ description: 'Whether there was time for the whole search and all cases.' }),
    error_count: count('Findings of the severity `error`.'),
    warning_count: count('Findings of the severity `warning`.'),
    info_count: count('Findings of the severity `info`.'),
    mergeable_count: count('Findings that `merged` corrects.'),
    behaviour: nullable(
      Type.Object(
        {
          total_count: count('Own rules and decoders.'),
          differing_count: count('Those that do something else with a known event.'),
          proven_count: count('Those that are proven to do the same.'),
          searched_count: count('Those in which no difference was found.'),
          unknown_count: count('Those of which nothing is known.'),
        },
        { $id: 'UpgradeBehaviour', description: 'What is known of the own rules and decoders.' },
      ),
      'What is known of the own rules and decoders; null: Wazuh would not start with the content on the new ruleset, and nothing was run.',
    ),
    findings: Type.Array(UpgradeFinding, { description: `Findings by file and line, those about cases last; the first ${FINDINGS_LISTED}.` }),
    merged: nullable(
      Type.Object(
        {
          decoders_xml: projectFields.xml('Decoders.', { examples: [DECODERS_EXAMPLE] }),
          rules_xml: projectFields.xml('Rules.', { examples: [RULES_EXAMPLE] }),
        },
        { $id: 'UpgradeMerge', description: 'The content with all corrections that hold together, for a workspace.' },
      ),
      'The content with its corrections; null: nothing can be merged.',
    ),
  },
  { $id: 'UpgradeCheckResponse', description: 'What an upgrade of the ruleset breaks in a content.' },
)
export type UpgradeCheckResponse = Static<typeof UpgradeCheckResponse>
