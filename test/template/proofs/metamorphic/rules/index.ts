import type { Rule } from '../world.ts'
import { batchesAreSequences } from './batches.ts'
import { countsAreLengths } from './counts.ts'
import { cursorsKeepRows } from './cursor-inserts.ts'
import { fieldsetsAreParts } from './fieldsets.ts'
import { includesAreRelatedReads } from './includes.ts'
import { pagesAreTheWhole } from './pages.ts'
import { filtersPartitionRows } from './partitions.ts'
import { sortsAreStable } from './sorts.ts'

/** The rules by the name that `--rules` accepts. */
export const rules = {
  pages: pagesAreTheWhole,
  cursors: cursorsKeepRows,
  includes: includesAreRelatedReads,
  counts: countsAreLengths,
  partitions: filtersPartitionRows,
  sorts: sortsAreStable,
  fieldsets: fieldsetsAreParts,
  batches: batchesAreSequences,
} satisfies Readonly<Record<string, Rule>>

export type RuleName = keyof typeof rules
export const ruleNames = Object.keys(rules) as RuleName[]
