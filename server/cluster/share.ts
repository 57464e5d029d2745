/** What one process of the service has of the threads and of the memory that the settings give to all of them. */
import type { Config } from '../core/config.js'

/** The part of an amount that the process has, where the first ones take what cannot be divided. */
function part(amount: number, { processes }: Pick<Config, 'processes'>, number: number): number {
  return Math.floor(amount / processes) + (number <= amount % processes ? 1 : 0)
}

/** The settings of one process. @param number of the process, from 1 */
export function shareOf(config: Config, number: number): Config {
  const workers = part(config.workers, config, number)
  return { ...config, workers, rulesetCacheMb: Math.max(1, Math.floor((config.rulesetCacheMb * workers) / config.workers)) }
}
