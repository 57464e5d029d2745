/** The three tags that select the earlier events that a composite counts. If there are several, the first one decides. */
export const MATCHED_TAGS = ['if_matched_sid', 'if_matched_group', 'if_matched_regex'] as const
