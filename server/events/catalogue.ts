/** THE table of domain events: name and payload (interface.md, "Outbound webhook events"; decisions.md, "Webhooks"). */
import Type, { type Static, type TObject } from 'typebox'

export const EVENTS = {
  'validation.completed': Type.Object({
    ok: Type.Boolean({ description: 'No error in the content of the caller.' }),
    diagnostic_count: Type.Integer({ minimum: 0, description: 'Findings that were answered.' }),
    total_rules: Type.Integer({ minimum: 0 }),
    total_decoders: Type.Integer({ minimum: 0 }),
  }),
  'logtest.completed': Type.Object({
    ok: Type.Boolean({ description: 'The event ran, on a ruleset without errors of the caller.' }),
    matched_rule_id: Type.Union([Type.String(), Type.Null()], { description: 'The final rule; null: none.' }),
    matched_rules: Type.Array(Type.String(), { description: 'Ids of all rules that matched, in evaluation order.' }),
  }),
  'api_key.created': Type.Object({
    id: Type.String(),
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  }),
  'api_key.revoked': Type.Object({ id: Type.String(), name: Type.String() }),
} as const satisfies Record<string, TObject>

export type EventName = keyof typeof EVENTS

export type EventPayload<N extends EventName> = Static<(typeof EVENTS)[N]>

/** An event as code passes it on, before it is stored. */
export type DomainEvent = { readonly [N in EventName]: { readonly name: N; readonly payload: EventPayload<N> } }[EventName]
