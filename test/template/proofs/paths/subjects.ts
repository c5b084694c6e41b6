import { declaredResources } from '#app/resources.ts'
import { loadSeeds } from '#discovery'
import type { DeclaredResource } from '#kernel/plugin'
import { type Database, type DatabaseOptions, migrate, type Seed, seed } from '#store'
import { createRandomSource } from '#test/conformance/random.ts'
import { createLibraryTables, librarySchema } from '#test/template/support/library/index.ts'
import { discoverResources, loadSchema } from '../../../../scripts/support/project.ts'
import { fillRandomRows } from '../metamorphic/random-rows.ts'
import { metamorphicResources } from '../metamorphic/resources.ts'
import { type PathName, pathNames } from './path-names.ts'

/** An application whose paths are compared, with its tables and its rows at the start of a sequence. */
export interface Subject {
  readonly paths: readonly PathName[]
  schema(): Promise<Pick<DatabaseOptions, 'entities' | 'migrations'>>
  createTables(database: Database): Promise<unknown>
  resources(): Promise<readonly DeclaredResource[]>
  reset(database: Database): Promise<void>
}

/** The types and seeds of the project. */
export const project: Subject = {
  paths: pathNames,
  schema: async () => loadSchema(await discoverResources()),
  createTables: migrate,
  resources: async () => declaredResources(await discoverResources()),
  reset: async (database) => seed(database, await loadSeeds<Seed>(await discoverResources())),
}

/** The library of the tests: all relation kinds. It is not an application that workers can start. */
export const library: Subject = {
  paths: pathNames.filter((name) => name !== 'workers'),
  schema: librarySchema,
  createTables: createLibraryTables,
  resources: async () => metamorphicResources,
  reset: (database) => fillRandomRows(database, createRandomSource(librarySeed)),
}

/** A seed that gives 3 shelves, 4 tags and 25 books. */
const librarySeed = 2
