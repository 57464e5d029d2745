/** What happens to rules in Wazuh 5, as the API returns it. */
import Type, { type Static } from 'typebox'
import { SIGMA_VERDICTS, type SigmaVerdict } from '#workers'
import { nullable } from '../../core/nullable.js'
import { rulesChoice } from '../shared/chosen-content.js'
import { runEvents } from '../shared/run-events.js'

/** Most rules of an answer; with large texts fewer. Counts include all. */
export const RULES_LISTED = 1_000

export const Wazuh5Request = Type.Object(rulesChoice, {
  $id: 'Wazuh5Request',
  description: 'A version or a workspace, or with neither the content of the project; and which of its rules.',
})
export type Wazuh5Request = Static<typeof Wazuh5Request>

const count = (description: string) => Type.Integer({ minimum: 0, description })
const ruleId = (description: string) => Type.String({ examples: ['100100'], description })

const Proof = Type.Object(
  {
    rule_id: ruleId('Rule of Wazuh 4 that is final for the last event.'),
    events: runEvents('Events of one session, which were run.'),
    normalized: Type.Object(
      {
        logsource: Type.Object(
          {
            category: Type.String({ examples: ['syslog'], description: 'Category.' }),
            service: Type.Optional(Type.String({ examples: ['vpn'], description: 'Decoder; absent: none.' })),
          },
          { description: 'Log source.' },
        ),
        fields: Type.Record(Type.String(), Type.String(), { description: 'Fields, under the names that the Sigma text uses.' }),
      },
      { description: 'The last event as a normalized one.' },
    ),
    expected: Type.Boolean({ description: 'Whether the Sigma rule has to match it.' }),
  },
  { description: 'An event that proves the text.' },
)

const RuleInWazuh5 = Type.Object(
  {
    rule_id: ruleId('Id of the rule.'),
    filename: Type.String({ examples: ['project_rules.xml'], description: 'File of the rule.' }),
    line: Type.Integer({ minimum: 1, examples: [12], description: 'Line of the rule.' }),
    verdict: Type.Enum([...SIGMA_VERDICTS], {
      description:
        '`as_is`: its own conditions say all. `flattened`: with the conditions of its parents, or without the events of other rules. `needs_correlation`: it counts events. `impossible`: it uses what Sigma cannot say. `not_needed`: it never alerts, and only keeps events from others.',
    }),
    constructs: Type.Array(
      Type.Object(
        {
          code: Type.String({ examples: ['compares'], description: 'Code of the construct.' }),
          rule_id: ruleId('Rule that uses it: this one, or one above it.'),
          text: Type.String({ examples: ['It compares fields of several events.'], description: 'What it is, in the language of the request.' }),
        },
        { description: 'A construct.' },
      ),
      { description: 'What Sigma, or a correlation, cannot say.' },
    ),
    notes: Type.Array(
      Type.Object(
        {
          code: Type.String({ examples: ['not_excluded'], description: 'Code of the note.' }),
          text: Type.String({ examples: ['The text does not exclude the events of the rules 100101.'], description: 'The note, in the language of the request.' }),
        },
        { description: 'A note.' },
      ),
      { description: 'What to look at before the text is used.' },
    ),
    sigma: nullable(
      Type.String({ examples: ['title: VPN login failed\n'], description: 'YAML.' }),
      'Documents of Sigma: one for each log source, or those that are counted and the correlation last; null: there are none.',
    ),
    proof: Type.Array(Proof, { description: 'Events that prove the text. Empty: none was found, or there was no time.' }),
  },
  { $id: 'RuleInWazuh5', description: 'A rule with its verdict and its Sigma text.' },
)

const counted = Object.fromEntries(SIGMA_VERDICTS.map((verdict) => [verdict, count(`Rules with the verdict \`${verdict}\`.`)])) as Record<SigmaVerdict, ReturnType<typeof count>>

export const Wazuh5Response = Type.Object(
  {
    loads: Type.Boolean({ description: 'Whether Wazuh would start with the content. No rule is looked at unless it would.' }),
    is_complete: Type.Boolean({ description: 'Whether there was time for all rules and their events.' }),
    untried_count: count('Rules that were not looked at, because the time was over.'),
    counts: Type.Object(counted, { $id: 'Wazuh5Counts', description: 'Number of rules by verdict.' }),
    rules: Type.Array(RuleInWazuh5, {
      description: `Rules in load order; the first ${RULES_LISTED}, and with large texts the first 4 MB. Others are answered where \`rule_ids\` names them.`,
    }),
  },
  { $id: 'Wazuh5Response', description: 'The rules of a content, converted for Wazuh 5.' },
)
export type Wazuh5Response = Static<typeof Wazuh5Response>
