/** Limits of what a result of the gate names. */

/** Diagnostics, cases, rules and survivors that an answer names for each field: as many as people read before they ask for the overview, which has all of them. */
export const CAUSES_SHOWN = 20
