/** cJSON's limit on nested arrays and objects. */
export const NESTING_LIMIT = 1000
