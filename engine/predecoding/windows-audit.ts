/** Names of Windows audit categories (BEHAVIOUR.md#windows-eventchannel), by the ids that events carry. */
import audit from './windows-audit.json' with { type: 'json' }

export const AUDIT_CATEGORIES: ReadonlyMap<number, string> = new Map(audit.categories.map(({ id, name }) => [id, name]))

/** Subcategories of a category have consecutive ids. */
export const AUDIT_SUBCATEGORIES: ReadonlyMap<number, string> = new Map(
  audit.categories.flatMap(({ firstSubcategory, subcategories }) => subcategories.map((name, index): [number, string] => [firstSubcategory + index, name])),
)

export const AUDIT_POLICY_CHANGES: ReadonlyMap<number, string> = new Map(Object.entries(audit.policyChanges).map(([id, name]) => [Number(id), name]))
