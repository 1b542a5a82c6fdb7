"""Data: what a model learns from, and how it comes in batches."""

from minigrad.data.dataset import Dataset as Dataset
from minigrad.data.dataset import TensorDataset as TensorDataset
from minigrad.data.dataset import collate as collate
from minigrad.data.digits import digits as digits
from minigrad.data.loader import DataLoader as DataLoader
from minigrad.data.mnist import fashion_mnist as fashion_mnist
from minigrad.data.mnist import mnist as mnist
from minigrad.data.text import TextBatches as TextBatches
from minigrad.data.text import TextDataset as TextDataset
from minigrad.data.text import Vocabulary as Vocabulary
from minigrad.data.text import python_sources as python_sources
from minigrad.data.text import text_files as text_files
