/** What vite.config.ts writes into the bundle: where every operation is on HTTP. */
declare module 'virtual:operations' {
  type Name = import('../../contract/operations.ts').OperationName
  type Method = import('../../contract/operation.ts').Method
  export const operations: Readonly<
    Partial<Record<Name, readonly [method: Method, path: string, produces: 'json' | 'csv' | 'file']>>
  >
}
