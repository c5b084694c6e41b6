export * from './discovery.ts'
