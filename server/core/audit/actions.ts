/** The audited actions: `resource.verb`. `actions.json` describes each in a sentence. */
import sentences from './actions.json' with { type: 'json' }

export type AuditAction = keyof typeof sentences

export const AUDIT_ACTIONS = Object.keys(sentences) as [AuditAction, ...AuditAction[]]
