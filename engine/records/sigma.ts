/** The verdicts on rules for Wazuh 5. */

/**
 * `as_is`: its own conditions are enough; `flattened`: with those of its parents, or without the events of others; `needs_correlation`: it counts events; `impossible`: it uses
 * a construct that Sigma cannot express; `not_needed`: it never alerts, and only keeps events from others.
 */
export const SIGMA_VERDICTS = ['as_is', 'flattened', 'needs_correlation', 'impossible', 'not_needed'] as const
export type SigmaVerdict = (typeof SIGMA_VERDICTS)[number]
