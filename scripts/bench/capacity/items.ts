import type { Measurement } from '../report.ts'
import { median } from '../report.ts'
import type { ItemCost, Share } from './model.ts'

/** The cost of this service in the results of the benchmark, at the smallest number of connections of each item. */
export function itemsOf(measured: readonly Measurement[]): ItemCost[] {
  const items = new Map<string, ItemCost>()
  for (const { item: name, reads, runs, statements } of measured) {
    if (items.has(name)) continue
    const [own = []] = runs
    const cpu = median(own.map((run) => run.cpu))
    const databaseCpu = median(own.map((run) => run.databaseCpu))
    items.set(name, { name, reads, cpu, databaseCpu, statements: statements[0] ?? 0 })
  }
  return [...items.values()]
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
