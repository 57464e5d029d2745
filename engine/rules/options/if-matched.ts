/** The three tags that name the earlier events which a composite counts. Of several, the first one decides. */
export const MATCHED_TAGS = ['if_matched_sid', 'if_matched_group', 'if_matched_regex'] as const
