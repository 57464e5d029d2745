/** Names that are harmless in what `JSON.parse` makes, and change the type of whatever they are copied into by assignment. */
import { type FieldIssue, ISSUES_LIMIT, issue, pointer } from './issue.js'

/** Where `__proto__` stands, and `constructor` with a `prototype`: each an unknown field. Without recursion, as depth is the caller's choice. */
export function forbiddenNames(root: unknown): FieldIssue[] {
  const found: FieldIssue[] = []
  const waiting: [unknown, string][] = [[root, '']]
  for (let at = 0; at < waiting.length && found.length < ISSUES_LIMIT; at++) {
    const [node, path] = waiting[at]
    if (typeof node !== 'object' || node === null) continue
    for (const [name, child] of Object.entries(node)) {
      if (name === '__proto__') found.push(issue(pointer(path, name), 'unknown', null))
      else if (typeof child !== 'object' || child === null) continue
      else if (name === 'constructor' && Object.hasOwn(child, 'prototype')) found.push(issue(pointer(pointer(path, name), 'prototype'), 'unknown', null))
      else waiting.push([child, pointer(path, name)])
    }
  }
  return found
}
