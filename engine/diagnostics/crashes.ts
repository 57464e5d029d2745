/**
 * Crashes and hangs of Wazuh 4.14.7, for the diagnostic `wazuh_crash`: the cause, and how content can avoid it. The kinds after the marker depend on the event
 * and are recorded while it runs; the others are reported when files are compiled. The engine answers as if Wazuh did not crash.
 */
export const CRASHES = {
  group_text: {
    reason: 'a group text of more than 2048 bytes is appended or appended to, and the rule is left without any',
    advice: 'keep the name of the group and every <group> of its rules at 2048 bytes or less',
  },
  group_empty: {
    reason: 'a group without rules that is not the first of its file is freed twice',
    advice: 'add a rule to the group, or remove it',
  },
  placement_left: {
    reason: 'the rule is dropped, but its placements below the parents before the missing one stay in the tree',
    advice: 'remove the missing parent from <if_sid>',
  },
  // --- recorded while an event runs
  other_agent: {
    reason: 'the search through all remembered events meets one of another agent, and never ends',
    advice: 'add <global_frequency />, or count the events of one rule by <if_matched_sid>',
  },
  groups_unset: {
    reason: 'the PCRE2 pattern of <regex> matches without a group that takes part, and nothing was captured in this session before',
    advice: 'write the pattern so that every match fills a group',
  },
  group_ends_early: {
    reason: 'a group of the OS_Regex pattern of <regex> ends before it begins (at best, nothing is found)',
    advice: 'put text that must be there between the group and what is repeated before it',
  },
} as const satisfies Record<string, { readonly reason: string; readonly advice: string }>

export type CrashKind = keyof typeof CRASHES
