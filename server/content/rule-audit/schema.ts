/** The audit of rules, and the events that fire them, as the API returns them. */
import Type, { type Static } from 'typebox'
import { AUDIT_VERDICTS, type AuditVerdict } from '#workers'
import { fields } from '../../core/auth/records.js'
import { nullable } from '../../core/nullable.js'
import { rulesChoice } from '../shared/chosen-content.js'
import { runEvents } from '../shared/run-events.js'

/** Most rules of an answer. Counts include all. */
export const RULES_LISTED = 1_000

export const RuleAuditParams = Type.Object({ project_id: fields.id('The project.') })

const count = (description: string) => Type.Integer({ minimum: 0, description })
export const RuleAuditRequest = Type.Object(rulesChoice, {
  $id: 'RuleAuditRequest',
  description: 'A version or a workspace, or with neither the content of the project; and which of its rules.',
})
export type RuleAuditRequest = Static<typeof RuleAuditRequest>
export const WitnessesRequest = Type.Object(
  { ...rulesChoice, near: Type.Optional(Type.Boolean({ default: false, description: 'Whether the search also finds the nearest events that do not fire each rule.' })) },
  { $id: 'WitnessesRequest', description: 'A version or a workspace, or with neither the content of the project; and which of its rules.' },
)
export type WitnessesRequest = Static<typeof WitnessesRequest>

const reason = nullable(
  Type.Object(
    {
      code: Type.String({ examples: ['sibling_always_first'], description: 'Code of the proof, of the end of the search, or of a diagnostic.' }),
      text: Type.String({ examples: ['Another rule always takes its events first: rule 100101.'], description: 'The reason, in the language of the request.' }),
    },
    { description: 'A reason.' },
  ),
  'Why it does not fire, or is not known to; null: it fires.',
)
const loads = Type.Boolean({ description: 'Whether Wazuh would start with the content. No rule is tried unless it would.' })
const isComplete = Type.Boolean({ description: 'Whether there was time for all rules. Those that were not tried are `unknown`, with the reason `time_limit`.' })

const AuditedRule = Type.Object(
  {
    rule_id: Type.String({ examples: ['100100'], description: 'Id of the rule.' }),
    filename: Type.String({ examples: ['project_rules.xml'], description: 'File of the rule.' }),
    line: Type.Integer({ minimum: 1, examples: [12], description: 'Line of the rule.' }),
    level: Type.Integer({ minimum: 0, examples: [5], description: 'Level of the rule.' }),
    description: Type.String({ examples: ['VPN: login failed'], description: 'Description of the rule.' }),
    verdict: Type.Enum([...AUDIT_VERDICTS], {
      description:
        '`dropped`: Wazuh leaves the rule out. `unreachable`: it is proven that no event fires it. `shadowed`: it is proven that other rules take its events. `unknown`: neither an event nor a proof was found. `only_if`: it fires only if more than the event is given. `noalert`: it is never final by itself. `fires`: an event fires it.',
    }),
    shadowed_by: nullable(
      Type.Array(Type.String({ examples: ['100101'] }), { description: 'Ids of the rules.' }),
      'Rules that take its events; null: the verdict is not `shadowed`.',
    ),
    by_child: Type.Boolean({ description: 'Whether a rule below it takes its events. A rule of level 0 then only groups others, and is not counted as one that can never fire.' }),
    events: runEvents('Events of one session, which were run. `fires` and `only_if`: the last one fires the rule. `shadowed`: another rule takes it. Empty: there are none.'),
    final_rule: nullable(Type.String({ examples: ['100100'] }), 'Rule of the last event; null: there is no event.'),
    conditions: Type.Array(
      Type.Object(
        {
          code: Type.String({ examples: ['counts'], description: 'Kind of the condition.' }),
          text: Type.String({ examples: ['rule 5710 fired 7 times in the 120 s before it'], description: 'Completes "only if", in the language of the request.' }),
        },
        { description: 'A condition.' },
      ),
      { description: 'Conditions of `only_if`. Without events, the content does not meet them as it is.' },
    ),
    reason,
  },
  { $id: 'AuditedRule', description: 'A rule with its verdict.' },
)

const counted = Object.fromEntries(AUDIT_VERDICTS.map((verdict) => [verdict, count(`Rules with the verdict \`${verdict}\`.`)])) as Record<AuditVerdict, ReturnType<typeof count>>
const RuleAuditCounts = Type.Object(counted, { $id: 'RuleAuditCounts', description: 'Number of rules by verdict.' })

export const RuleAuditResponse = Type.Object(
  {
    loads,
    is_complete: isComplete,
    never_fire_count: count('Rules that can never fire: dropped, unreachable or shadowed.'),
    counts: RuleAuditCounts,
    rules: Type.Array(AuditedRule, { description: `Rules, those to be acted on first; the first ${RULES_LISTED}.` }),
  },
  { $id: 'RuleAuditResponse', description: 'Whether the rules of a content fire, and what keeps them from it.' },
)
export type RuleAuditResponse = Static<typeof RuleAuditResponse>

export const WitnessesResponse = Type.Object(
  {
    loads,
    is_complete: isComplete,
    fires_count: count('Rules with events that fire them.'),
    cannot_fire_count: count('Rules that are proven not to fire.'),
    unknown_count: count('Rules with neither.'),
    rules: Type.Array(
      Type.Object(
        {
          rule_id: Type.String({ examples: ['100100'], description: 'Id of the rule.' }),
          status: Type.Enum(['fires', 'cannot_fire', 'unknown'], { description: 'Whether it fires. `cannot_fire` is proven.' }),
          events: runEvents('Events of one session, which were run; the last one fires the rule. Empty unless it fires.'),
          near: Type.Array(
            Type.Object(
              {
                option: Type.String({ examples: ['match'], description: 'Option of the rule that they fail.' }),
                field: nullable(Type.String({ examples: ['action'] }), 'Name of its field; null: it has none.'),
                rule_id: nullable(Type.String({ examples: ['100101'] }), 'Rule of the last event; null: none.'),
                events: runEvents('Events of one session.'),
              },
              { description: 'Events that just miss the rule.' },
            ),
            { description: 'The nearest events that do not fire it, for its own conditions.' },
          ),
          reason,
        },
        { $id: 'RuleWitness', description: 'A rule with the events that fire it.' },
      ),
      { description: `Rules in load order; the first ${RULES_LISTED}.` },
    ),
  },
  { $id: 'WitnessesResponse', description: 'Events that fire the rules of a content.' },
)
export type WitnessesResponse = Static<typeof WitnessesResponse>
