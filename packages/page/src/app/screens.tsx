/**
 * Which screen an address names. Anything that is no screen is searched for, so that `/ui/<anything>` works.
 */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading, Screen } from '../parts/layout.tsx';
import { AddressScreen } from '../screens/address.tsx';
import { ApiScreen } from '../screens/api.tsx';
import { BlockScreen } from '../screens/block.tsx';
import { CutScreen } from '../screens/cut.tsx';
import { CutsScreen } from '../screens/cuts.tsx';
import { DeskScreen } from '../screens/desk.tsx';
import { EconomicsScreen } from '../screens/economics.tsx';
import { MempoolScreen } from '../screens/mempool.tsx';
import { NodeScreen } from '../screens/node.tsx';
import { OverviewScreen } from '../screens/overview.tsx';
import { ToolsScreen } from '../screens/tools.tsx';
import { TransactionScreen } from '../screens/transaction.tsx';
import { ValidatorScreen } from '../screens/validator.tsx';
import { ValidatorsScreen } from '../screens/validators.tsx';
import { VerifyScreen } from '../screens/verify.tsx';
import { WalletScreen } from '../screens/wallet.tsx';
import { redirect } from './router.ts';
import { findScreen } from './search.tsx';

type MakeScreen = (argument: string) => JSX.Element;

const SCREENS: Readonly<Record<string, MakeScreen>> = {
  '': () => <OverviewScreen />,
  cuts: () => <CutsScreen />,
  cut: (height) => <CutScreen key={height} height={Number(height)} />,
  block: (id) => <BlockScreen key={id} id={id} />,
  tx: (id) => <TransactionScreen key={id} id={id} />,
  address: (address) => <AddressScreen key={address} address={address} />,
  mempool: () => <MempoolScreen />,
  validators: () => <ValidatorsScreen />,
  economics: () => <EconomicsScreen />,
  node: () => <NodeScreen />,
  verify: () => <VerifyScreen />,
  tools: () => <ToolsScreen />,
  api: () => <ApiScreen />,
  dev: () => <DeskScreen />,
  wallet: () => <WalletScreen />,
  validator: (id) => <ValidatorScreen key={id} id={id} />,
};

export function screenOf([name = '', argument = '']: readonly string[]): JSX.Element {
  const make = SCREENS[name];
  return make === undefined ? <Finding text={name} /> : make(argument);
}

function Finding({ text }: { text: string }): JSX.Element {
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    findScreen(text)
      .then((found) => (found === undefined ? setMissing(true) : redirect(found)))
      .catch(() => setMissing(true));
  }, [text]);
  if (!isMissing) return <Loading />;
  return (
    <Screen title="Nothing here has that name">
      <p class="lead">
        There is no screen, cut, block, transaction, address or validator of this name at this node.
      </p>
    </Screen>
  );
}
