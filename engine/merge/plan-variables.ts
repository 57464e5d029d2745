/**
 * Gives files the variables that their items need. In a composed content a variable is visible in all later items; in the files of a repository it is visible
 * in its own file only (BEHAVIOUR.md#xml-variables).
 */
import type { FilePlan } from './file-plan.js'
import type { Plans } from './plans.js'
import type { Item, SplitText } from './split-text.js'

/** A reference, roughly: names that are longer than a reference do not matter, because only defined names count. */
const REFERENCE = /\$([^$.|,\s<>"']+)/g

/**
 * Defines the variables of ours in each file that gets an item which refers to them, and keeps removed ones to which other items refer.
 * @param added variables that theirs does not have
 */
export function planVariables(plans: Plans, ours: readonly SplitText[], added: readonly Item[]): { readonly item: Item; readonly path: string }[] {
  const variables = new Map<string, Item>()
  for (const { items } of ours) for (const item of items) if (item.kind === 'variable' && !variables.has(nameOf(item))) variables.set(nameOf(item), item)
  for (const item of added) if (!variables.has(nameOf(item))) variables.set(nameOf(item), item)
  const placed = new Map<string, string>()
  for (const plan of plans) {
    for (const name of missingNames(plan, variables)) {
      plan.define(variables.get(name) as Item)
      if (!placed.has(name)) placed.set(name, plan.path)
    }
    keepNeeded(plan)
  }
  return [...new Map(added.map((item) => [nameOf(item), item])).values()].map((item) => {
    const path = placed.get(nameOf(item)) ?? plans.target.path
    if (!placed.has(nameOf(item))) plans.target.define(item)
    return { item, path }
  })
}

/** Names of variables that a file must define for the items that it gets. */
function missingNames(plan: FilePlan, variables: ReadonlyMap<string, Item>): Set<string> {
  const missing = new Set<string>()
  if (variables.size === 0) return missing
  let defined: Set<string> | null = null
  for (const arrival of plan.arrivals()) {
    for (const name of namesIn(arrival)) {
      if (!variables.has(name) || missing.has(name)) continue
      defined ??= plan.variableNames()
      if (!defined.has(name)) missing.add(name)
    }
  }
  return missing
}

function keepNeeded(plan: FilePlan): void {
  const removed = plan.split.items.filter((item) => item.kind === 'variable' && plan.isRemoved(item))
  if (removed.length === 0) return
  const needed = new Set<string>()
  for (const item of [...plan.rest(), ...plan.arrivals()]) for (const name of namesIn(item)) needed.add(name)
  for (const item of removed) if (needed.has(nameOf(item))) plan.keep(item)
}

function nameOf({ name }: Item): string {
  return name.toLowerCase()
}

function* namesIn(item: Item): Generator<string> {
  if (item.kind === 'variable' || !item.raw.includes('$')) return
  for (const [, name] of item.raw.matchAll(REFERENCE)) yield name.toLowerCase()
}
