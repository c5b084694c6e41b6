// The part of Vue 3.5 that the recipe uses, because the project does not depend on Vue.
declare module 'vue' {
  export interface Ref<Value> {
    value: Value
  }
  export function shallowRef<Value>(value: Value): Ref<Value>
  export function watchEffect(run: () => void): void
  export function onWatcherCleanup(run: () => void): void
}
