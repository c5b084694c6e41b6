import type { Resource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { libraryResources } from '#test/template/support/library/resources.ts'

/** Declares resources in a test. */
export function declared(...resources: readonly Resource[]): DeclaredResource[] {
  return resources.map((resource) => ({ file: 'test/template/specification', resource }))
}

/** Returns the resources of the library; the given declarations replace those of the same type. */
export function libraryWith(...resources: readonly Resource[]): DeclaredResource[] {
  const types = resources.map((resource) => resource.declaration.type)
  const kept = libraryResources.filter(({ resource }) => !types.includes(resource.declaration.type))
  return [...kept, ...declared(...resources)]
}

/** Starts an application over the library, runs the function against it and closes it. */
export async function inLibrary<T>(options: TestAppOptions, run: (app: TestApp) => Promise<T>): Promise<T> {
  const app = await startLibrary(options)
  try {
    return await run(app)
  } finally {
    await app.close()
  }
}
