import type { Resource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { startLibrary } from '#test/support/library/index.ts'
import { libraryResources } from '#test/support/library/resources.ts'

/** Declarations that stand in a test. */
export function declared(...resources: readonly Resource[]): DeclaredResource[] {
  return resources.map((resource) => ({ file: 'test/specification', resource }))
}

/** The library with other declarations of some of its types. */
export function libraryWith(...resources: readonly Resource[]): DeclaredResource[] {
  const types = resources.map((resource) => resource.declaration.type)
  const others = libraryResources.filter(({ resource }) => !types.includes(resource.declaration.type))
  return [...others, ...declared(...resources)]
}

/** Runs the work against an application over the library, and closes it. */
export async function inLibrary<T>(options: TestAppOptions, work: (app: TestApp) => Promise<T>): Promise<T> {
  const app = await startLibrary(options)
  try {
    return await work(app)
  } finally {
    await app.close()
  }
}
