/** The merge by rule, which is loaded when there is something to merge. */
export { mergeFiles } from '#engine'
