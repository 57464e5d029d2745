/** Names that are harmless in the result of `JSON.parse`, but change the type of an object into which they are copied by assignment. */
import { type FieldIssue, ISSUES_LIMIT, issue, pointer } from './issue.js'

/** Reports every `__proto__`, and every `constructor` with a `prototype`, as an unknown field. Uses no recursion, because the caller chooses the depth. */
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
