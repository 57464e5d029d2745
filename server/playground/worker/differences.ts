/** The comparison of behaviour, which is loaded when somebody asks for differences. */
export { alertChanges, behaviourRecord, behaviourSteps, differencesOf, EFFECTS } from '#engine'
