import { projectApp, type TestApp } from './app.ts'

/** The music catalogue with all its plugins, one per process. Whoever imports it goes when the demo is removed. */
export function catalogue(): Promise<TestApp> {
  return projectApp()
}
