export { memoryStore } from './persister.ts'
export { memoryProvider } from './provider.ts'
