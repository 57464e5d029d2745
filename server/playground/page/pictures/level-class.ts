/** Severity of a level, by which it is coloured. */
export type LevelClass = 'none' | 'low' | 'medium' | 'high' | 'critical'
export const LEVEL_CLASSES: readonly LevelClass[] = ['none', 'low', 'medium', 'high', 'critical']

/** The classes of Wazuh's dashboard; level 0 causes no alert. */
export function levelClass(level: number): LevelClass {
  if (level === 0) return 'none'
  if (level < 7) return 'low'
  if (level < 12) return 'medium'
  return level < 15 ? 'high' : 'critical'
}
