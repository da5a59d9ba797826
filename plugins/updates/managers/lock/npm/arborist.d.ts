/** The part of `@npmcli/arborist` that is used. */
declare module "@npmcli/arborist" {
  interface LockMeta {
    commit(): { packages?: Record<string, Record<string, unknown>> } & Record<string, unknown>;
    toString(): string;
  }
  export interface TreeEdge {
    readonly name: string;
    readonly peer: boolean;
    readonly error: string | null;
    readonly spec: string;
    readonly to: TreeNode | null;
  }
  export interface TreeNode {
    readonly edgesOut: Map<string, TreeEdge>;
    readonly name: string;
    readonly packageName: string | null;
    readonly version: string;
    readonly location: string;
    readonly isLink: boolean;
  }
  export interface Tree extends TreeNode {
    readonly meta: LockMeta;
    readonly inventory: Map<string, TreeNode>;
  }
  export class Arborist {
    constructor(options: Record<string, unknown>);
    buildIdealTree(options: Record<string, unknown>): Promise<Tree>;
  }
}
