import type { Measurement } from '../report.ts'
import { median } from '../report.ts'
import type { ItemCost, Share } from './model.ts'

/**
 * The cost of this service in the results of the benchmark, at the smallest number of connections of each item. If the
 * mixed load was measured, too, the costs are those of a mix.
 */
export function costsByItem(measured: readonly Measurement[]): ItemCost[] {
  const items = new Map<string, ItemCost>()
  for (const { item: name, reads, runs, statements } of measured) {
    if (items.has(name)) continue
    items.set(name, { name, reads, ...medianCost(runs[0] ?? []), statements: statements[0] ?? 0 })
  }
  const { mixed, ...others } = Object.fromEntries(items)
  return mixed ? scaleToMix(Object.values(others), mixed) : Object.values(others)
}

export type Cost = Pick<ItemCost, 'cpu' | 'databaseCpu'>

export function medianCost(runs: readonly Cost[]): Cost {
  return { cpu: median(runs.map(({ cpu }) => cpu)), databaseCpu: median(runs.map((run) => run.databaseCpu)) }
}

/**
 * Multiplies the costs of items so that their mean is the cost of a request of the mixed load, which has the same number of
 * requests of each. Alone, an item costs less: the runtime compiles shared functions for its requests only.
 */
export function scaleToMix(items: readonly ItemCost[], mixed: Cost): ItemCost[] {
  const factorOf = (name: keyof Cost) => mixed[name] / (items.reduce((sum, item) => sum + item[name], 0) / items.length)
  const [cpu, databaseCpu] = [factorOf('cpu'), factorOf('databaseCpu')]
  return items.map((item) => ({ ...item, cpu: item.cpu * cpu, databaseCpu: item.databaseCpu * databaseCpu }))
}

/** Reads `one album=6,50 albums=3,create track=1`; without a text, all items in equal parts. Throws for an unknown item. */
export function parseMix(text: string | undefined, items: readonly ItemCost[]): Share[] {
  const weighted = text === undefined ? items.map((item) => ({ item, weight: 1 })) : text.split(',').map(parsePart)
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  return weighted.map(({ item, weight }) => ({ item, share: weight / total }))

  function parsePart(part: string) {
    const [, name = part, number = '1'] = /^\s*(.*?)\s*(?:=\s*(\d+(?:\.\d+)?))?\s*$/.exec(part) ?? []
    const item = items.find((one) => one.name === name)
    if (!item) throw new Error(`There is no item '${name}'. There are: ${items.map((one) => one.name).join(', ')}`)
    return { item, weight: Number(number) }
  }
}
