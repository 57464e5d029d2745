/** Limits of what the page sends. Within them nothing takes longer than the page may wait before it ends the worker. */
import { FILES_LIMIT, RULESET_BYTES } from '#in-thread'

/** Limits of the edited files, as those of an analysis request. A character is at least one byte. */
export const CONTENT_FILES = FILES_LIMIT
export const CONTENT_CHARACTERS = RULESET_BYTES
/** Limits of the ruleset below the edited files, which the user may have opened: four times the largest content, and twelve times the stock ruleset. */
export const BASE_FILES = 4 * FILES_LIMIT
export const BASE_CHARACTERS = 4 * RULESET_BYTES
/** Events of a run, as of a test case. */
export const EVENTS_LIMIT = 1_000
/** All events of a run together. The engine cuts each where Wazuh does, at 65,535 bytes, and says so. */
export const EVENTS_CHARACTERS = RULESET_BYTES
/** Cases that run at each change. */
export const CASES_LIMIT = 500
/** A trace has up to some thousand entries, so events whose trace is sent are few. */
export const TRACED_EVENTS_LIMIT = 100
/** Last second of a virtual clock: some thirty years, beyond each window of a rule. */
export const LAST_SECOND = 1_000_000_000
/** The costs of an event are the mean of its runs within this time, which is a hundred times the resolution of the clock in a page. */
export const COSTS_MS = 10
/** Nor are they more than these. */
export const COSTS_RUNS = 500
/** Time in which differences are looked for; what runs beside it counts. */
export const DIFFERENCES_MS = 12_000
/** Time in which rules are judged before the page is answered: what waits then comes first. */
export const AUDIT_SLICE_MS = 100
/** Time for one rule: 99 of 100 take a quarter of a second at most. */
export const AUDIT_RULE_MS = 1_000
/** Own rules that are judged: more cells are no map any more. */
export const AUDIT_RULES = 2_000
/** As of the audit: time of a part, and for one rule or decoder. */
export const MUTATION_SLICE_MS = 100
export const MUTATION_ITEM_MS = 1_000
/** Changes that no case notices, of which one adds a few cases at a time. */
export const SURVIVORS_SENT = 200
/** Time in which the event of an attack is looked for: nearly all are found in a second. */
export const ATTACK_MS = 5_000
/** Differences that are sent. */
export const DIFFERENCES_SENT = 60
/** A run looks for a newer request after this time. */
export const SLICE_MS = 20
